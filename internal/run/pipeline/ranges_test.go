package pipeline

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/option"
)

// agreed returns a task with ranges whose options are not yet completed.
func agreed(t *testing.T, r Ranges, options ...string) *Task {
	t.Helper()
	k, err := Named("ggm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range append([]string{"standardise=agreed", "normalise=minmax"}, options...) {
		name, text, _ := strings.Cut(o, "=")
		if err := k.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	k.Ranges = r
	return k
}

// Columns are scaled from their agreed ranges to [0, 1], whatever the rows are, and nobody learns
// anything about the rows. A participant with values outside the ranges gets a warning.
func TestAgreedRanges(t *testing.T) {
	k := agreed(t, Ranges{EveryColumn: {0, 10}, "b": {-1, 1}})
	if err := k.Complete(); err != nil {
		t.Fatal(err)
	}
	if what := k.learned(); len(what) > 0 {
		t.Errorf("nothing exact is learned for it, got %q", what)
	}
	if of := k.bounded(k.disclosure()); len(of) != 1 || of[0] != "as trained on" {
		t.Errorf("bounded %q", of)
	}
	p := dataset.Participant{Columns: []string{"a", "b"}, Train: rows.InMemory(mat.NewDense(3, 2, []float64{0, 0, 5, -1, 20, 3}))}
	got, err := k.prepare(t.Context(), collabdict.Solo{}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := rows.Dense(got.rows)
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(3, 2, []float64{0, 0.5, 0.5, 0, 2, 2}); !mat.Equal(x, want) {
		t.Errorf("got %v", mat.Formatted(x))
	}
	if w := strings.Join(got.warnings, "\n"); w != "2 of your values are outside the agreed ranges, 1 of them in column a (0 to 10): scaled, they are outside 0 to 1" {
		t.Errorf("warnings %q", w)
	}
	k.Ranges = Ranges{"b": {-1, 1}}
	var e *option.Error
	if _, err := k.prepare(t.Context(), collabdict.Solo{}, p, nil); !errors.As(err, &e) || !strings.Contains(err.Error(), `ranges: want a range for each column, got none for "a"`) {
		t.Errorf("got %v", err)
	}
}

func TestRangesAreChecked(t *testing.T) {
	for want, k := range map[string]*Task{
		"ranges: column a: want a finite range from a lower to a higher value, got 1 to 1": agreed(t, Ranges{"a": {1, 1}, "b": {0, 1}}),
		"ranges: want the ranges that the members have agreed on":                          agreed(t, nil),
		"ranges: require --standardise agreed, got own":                                    agreed(t, Ranges{"a": {0, 1}}, "standardise=own"),
		"normalise: want minmax with agreed ranges":                                        agreed(t, Ranges{"a": {0, 1}}, "normalise=standard"),
	} {
		var e *option.Error
		if err := k.Complete(); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	one, other := Ranges{"a": {0, 1}, "b": {2, 3}}, Ranges{"a": {0, 1}, "b": {2, 4}}
	if one.String() != "a 0 to 1, b 2 to 3" || one.String() == other.String() {
		t.Errorf("got %q and %q", one, other)
	}
}
