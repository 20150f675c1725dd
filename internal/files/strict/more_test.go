package strict

import (
	"strings"
	"testing"
)

// A second document is an error, because it would be ignored without notice.
func TestOneDocument(t *testing.T) {
	var v struct{ A int }
	err := YAML(strings.NewReader("a: 1\n---\na: 2\n"), &v)
	if err == nil || !strings.Contains(err.Error(), "want one document") {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"a: 1\n", "---\na: 1\n...\n"} {
		if err := YAML(strings.NewReader(text), &v); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
