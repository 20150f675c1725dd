package dataset_test

import (
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"": 128 << 20, "all": 0, "1": 1, "4096": 4096, "512MiB": 512 << 20, "1.5 GiB": 3 << 29, "2GB": 2e9, "100kb": 1e5, "7B": 7, "1TiB": 1 << 40,
	} {
		if got, err := dataset.ParseMemory(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "MiB", "1e30", "12 apples", "NaN", "inf", "0.5"} {
		if got, err := dataset.ParseMemory(text); err == nil {
			t.Errorf("%q was taken as %d", text, got)
		}
	}
}
