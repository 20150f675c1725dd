package dataset_test

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]dataset.Condition{
		"":            {},
		"part=train":  {Column: "part", Value: "train"},
		" part = a=b": {Column: "part", Value: "a=b"},
	} {
		got, err := dataset.ParseCondition(text)
		if err != nil || got != want || got.Given() == (text == "") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"part", "=x", "part=", "="} {
		if _, err := dataset.ParseCondition(text); err == nil || !strings.Contains(err.Error(), "column=value") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
