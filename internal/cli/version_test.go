package cli

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// Builds differ by their revision, and by whether the source was modified.
func TestVersionTellsBuildsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, settings := range [][]debug.BuildSetting{
		nil,
		{{Key: "vcs.revision", Value: strings.Repeat("0123456789", 4)}, {Key: "vcs.modified", Value: "false"}},
		{{Key: "vcs.revision", Value: strings.Repeat("0123456789", 4)}, {Key: "vcs.modified", Value: "true"}},
		{{Key: "vcs.revision", Value: strings.Repeat("1123456789", 4)}, {Key: "vcs.modified", Value: "false"}},
	} {
		v := versions{Version: release}
		v.built(settings)
		var text bytes.Buffer
		v.text(&text)
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if seen[text.String()] || seen[string(encoded)] {
			t.Errorf("another build has %q and %s, too", &text, encoded)
		}
		seen[text.String()], seen[string(encoded)] = true, true
	}
}
