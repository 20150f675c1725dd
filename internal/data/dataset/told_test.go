package dataset_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// A warning names the first cell of each column that cannot be read before the stream goes on, once for each kind.
func TestFaultsOfAStreamAreToldAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		head  string
		lines []string
		told  []string // in the warnings about each line, "" for none
		empty []bool
	}{
		"CSV": {
			"x,y\n",
			[]string{"1,2", "ERR,2", "ERR,2", "1,", ",2", "1,OFF", ",-", "1,2"},
			[]string{"", `"x" ("ERR")`, "", `"y"`, `"x"`, `"y" ("OFF")`, "", ""},
			[]bool{false, false, false, false, false, false, true, false},
		},
		"header again": {"x,y\n", []string{"1,2", "x,y"}, []string{"", `"x" ("x"), "y" ("y")`}, []bool{false, true}},
		"JSON": {
			"",
			[]string{`{"x":1,"y":2}`, `{"X":1,"Y":2}`, `{"x":1,"y":"ERR"}`},
			[]string{"", `"x", "y"|key "X"`, `"y" ("ERR")`},
			[]bool{false, true, false},
		},
	} {
		r, w := io.Pipe()
		var told []string
		arrived := make(chan bool)
		go func() {
			_, _ = io.WriteString(w, c.head)
			for i, line := range c.lines {
				_, _ = io.WriteString(w, line+"\n")
				if got := <-arrived; got != c.empty[i] {
					t.Errorf("%s: row %d: empty is %t", name, i+1, got)
				}
				for _, want := range strings.Split(c.told[i], "|") {
					if want != "" && !slices.ContainsFunc(told, func(line string) bool { return strings.Contains(line, want) }) {
						t.Errorf("%s: told %q of row %d, want %s", name, told, i+1, want)
					}
				}
				if c.told[i] == "" && told != nil {
					t.Errorf("%s: told %q of row %d", name, told, i+1)
				}
				told = nil
				arrived <- true
			}
			w.Close()
		}()
		spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"x", "y"}, Missing: dataset.KeepMissing, Scored: true, Tell: func(line string) { told = append(told, line) }}
		if err := spec.Forward(t.Context(), r, atOnce); err != nil {
			t.Fatal(err)
		}
		gaps, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
			for _, empty := range b.Empty {
				arrived <- empty
				<-arrived
			}
			return nil
		})
		if err != nil || gaps.Aside != nil {
			t.Errorf("%s: told again %v, %v", name, gaps.Aside, err)
		}
	}
}
