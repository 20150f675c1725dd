package operate

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/run/report"
)

func TestWarningsOfTheNodeAreSentences(t *testing.T) {
	for _, c := range []struct {
		msg        string
		attributes []any
		want       report.Warning
	}{
		{"a member is lost", []any{"name", "b", "reason", "nothing heard for 8.3s"}, report.Warning{Text: "b is lost (nothing heard)", Kind: report.AbsentWarning, Members: []string{"b"}}},
		{"a member has left", []any{"name", "b", "reason", "it was stopped by its operator"}, report.Warning{Text: "b has left (it was stopped by its operator)", Kind: report.AbsentWarning, Members: []string{"b"}}},
		{"a member has restarted and resumes the run", []any{"name", "b", "peer", "12D3"}, report.Warning{Text: "b has restarted and resumes the run", Kind: report.ReturnedWarning, Members: []string{"b"}}},
		{"a member alone hears nothing from another, while a quorum does: check the link between the two", []any{"name", "b", "of", "c"}, report.Warning{Text: "b alone hears nothing from c, while a quorum does: check the link between the two", Kind: report.LinkWarning, Members: []string{"b", "c"}}},
		{"a member joins the roster", []any{"name", "b", "revision", 2}, report.Warning{Text: "b joins the roster (revision: 2)", Members: []string{"b"}}},
		{"a peer is refused", []any{"peer", "12D3", "error", os.ErrInvalid, "odd"}, report.Warning{Text: "a peer is refused (invalid argument)"}},
	} {
		got := NodeWarning(c.msg, c.attributes)
		if got.Text != c.want.Text || got.Kind != c.want.Kind || !slices.Equal(got.Members, c.want.Members) {
			t.Errorf("%s: got %+v, want %+v", c.msg, got, c.want)
		}
	}
}

// The messages about members that go and come are those of the node.
func TestTheNodeGivesItsWarnings(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"../../../node/*.go", "../../../node/internal/*/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	for msg := range presence {
		if !strings.Contains(source.String(), ".Warn("+strconv.Quote(msg)+",") {
			t.Errorf("the node does not log %q", msg)
		}
	}
}
