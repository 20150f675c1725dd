package task

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
)

func agreed(r Ranges) Task {
	k := example()
	k.Standardise, k.Normalise, k.Ranges = Agreed, MinMax, r
	return k
}

// Columns come from their ranges to that from 0 to 1, whatever rows there are, and
// nobody learns anything for it. Who has values beyond is told.
func TestAgreedRanges(t *testing.T) {
	k := agreed(Ranges{EveryColumn: {0, 10}, "b": {-1, 1}})
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	if what := k.learned(); len(what) > 0 {
		t.Errorf("nothing is learned for it, got %q", what)
	}
	if of := k.bounded(true); len(of) != 1 || of[0] != "as trained on" {
		t.Errorf("bounded %q", of)
	}
	p := dataset.Participant{Columns: []string{"a", "b"}, Train: dataset.InMemory(mat.NewDense(3, 2, []float64{0, 0, 5, -1, 20, 3}))}
	got, err := k.prepare(t.Context(), collabdict.Solo{}, p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := dataset.Dense(got.rows)
	if err != nil {
		t.Fatal(err)
	}
	if want := mat.NewDense(3, 2, []float64{0, 0.5, 0.5, 0, 2, 2}); !mat.Equal(x, want) {
		t.Errorf("got %v", mat.Formatted(x))
	}
	if w := strings.Join(got.warnings, "\n"); w != "2 own values are outside of the agreed ranges, 1 of them in the column a (0 to 10): they come to be outside of 0 to 1" {
		t.Errorf("warnings %q", w)
	}
	k.Ranges = Ranges{"b": {-1, 1}}
	var e *Error
	if _, err := k.prepare(t.Context(), collabdict.Solo{}, p); !errors.As(err, &e) || !strings.Contains(err.Error(), `ranges: want one of each column, got none of "a"`) {
		t.Errorf("got %v", err)
	}
}

func TestRangesAreChecked(t *testing.T) {
	own := agreed(Ranges{"a": {0, 1}})
	own.Standardise = Own
	standard := agreed(Ranges{"a": {0, 1}})
	standard.Normalise = Standard
	for want, k := range map[string]Task{
		"ranges: column a: want a finite range from a lower to a higher value, got 1 to 1": agreed(Ranges{"a": {1, 1}, "b": {0, 1}}),
		"ranges: want those that the members have agreed on":                               agreed(nil),
		"ranges: they are for --standardise agreed, got own":                               own,
		"normalise: want minmax with agreed ranges":                                        standard,
	} {
		if err := k.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	one, other := agreed(Ranges{"a": {0, 1}, "b": {2, 3}}), agreed(Ranges{"a": {0, 1}, "b": {2, 4}})
	if one.Ranges.String() != "a 0 to 1, b 2 to 3" || one.Ranges.String() == other.Ranges.String() {
		t.Errorf("got %q and %q", one.Ranges, other.Ranges)
	}
}
