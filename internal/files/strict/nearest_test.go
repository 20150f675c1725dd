package strict

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func TestNearest(t *testing.T) {
	known := []string{"seed", "rounds", "listen", "data", "label", "min_rows", "rho", "pca"}
	for name, want := range map[string]string{
		"sead": "seed", "esed": "seed", "round": "rounds", "lisen": "listen", "dta": "data", "lable": "label", "min_row": "min_rows", "minrows": "min_rows",
		"rh": "rho", "temperature": "", "xyz": "", "colour": "", "": "", "rows": "",
		"SEED": "seed", "Min_Rows": "min_rows", "seat": "", "sent": "", "lister": "listen", "lifters": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := Unknown("sead", known); got != "unknown field sead: did you mean seed?" {
		t.Error(got)
	}
	if got := Unknown("temperature", known[:2]); got != "unknown field temperature; there are seed, rounds" {
		t.Error(got)
	}
}

// The distance is a number of edits: 0 for equal texts alone, symmetric, and at most 1 after
// one edit.
func TestDistance(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (string(a) == string(b)) || d > max(len(a), len(b)) || d < len(a)-len(b) {
			t.Fatalf("%q and %q: %d", string(a), string(b), d)
		}
		if len(a) == 0 {
			return
		}
		i := rapid.IntRange(0, len(a)-1).Draw(t, "i")
		cut := strings.Join([]string{string(a[:i]), string(a[i+1:])}, "")
		if d := distance(a, []rune(cut)); d != 1 {
			t.Fatalf("%q and %q: %d, want 1", string(a), cut, d)
		}
	})
}
