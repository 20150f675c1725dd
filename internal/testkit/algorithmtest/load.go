package algorithmtest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// Loaded writes a model, reads it, and returns the model read. The test fails unless that has
// the same arrays and the same scores of rows up to rounding: a mixture computes its
// determinants again when it is read.
func Loaded(t testing.TB, a algorithm.Algorithm, m algorithm.Model, rows collabdict.Rows) algorithm.Model {
	t.Helper()
	read := read(t, a, m)
	if _, scores := m.(algorithm.Scorer); scores && !near(Scores(t, read, rows), Scores(t, m, rows)) {
		t.Error("a model has other scores after it is read")
	}
	return read
}

// read returns the model that is read from the arrays of m.
func read(t testing.TB, a algorithm.Algorithm, m algorithm.Model) algorithm.Model {
	t.Helper()
	got, err := a.Load(FromModel(m), m.Dim())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Arrays(), m.Arrays()) {
		t.Error("a model has other arrays after it is read")
	}
	return got
}

// LoadedWhole is [Loaded] without scores. It also loads the private part, if there is one.
func LoadedWhole(t *testing.T, a algorithm.Algorithm, m algorithm.Model) algorithm.Model {
	t.Helper()
	got := read(t, a, m)
	if got.Dim() != m.Dim() {
		t.Errorf("a model has %d coordinates after it is read, want %d", got.Dim(), m.Dim())
	}
	of, personal := m.(algorithm.Personal)
	to, too := got.(algorithm.Personal)
	if personal != too {
		t.Fatalf("%T becomes %T", m, got)
	}
	if !personal {
		return got
	}
	if slices.Max(to.Own()) != 0 || !slices.Equal(to.Shared(), of.Shared()) {
		t.Errorf("own part %v before it is loaded", to.Own())
	}
	bad := slices.Clone(of.OwnArrays())
	last := bad[len(bad)-1]
	last.Values = slices.Repeat([]float64{1e300}, len(last.Values))
	bad[len(bad)-1] = last
	if err := to.LoadOwn(Arrays(bad)); err == nil || !strings.Contains(err.Error(), "want finite weights in single precision") || slices.Max(to.Own()) != 0 {
		t.Errorf("got %v, and own part %v", err, to.Own())
	}
	if err := to.LoadOwn(Arrays(of.OwnArrays())); err != nil || !slices.Equal(to.Own(), of.Own()) {
		t.Errorf("got %v, and own part %v", err, to.Own())
	}
	return got
}

// Refuses checks the errors for arrays that do not fit the options, and for changed arrays.
func Refuses(t *testing.T, k algorithm.Kind, m algorithm.Model, cases map[string]func(a algorithm.Algorithm, arrays Arrays), options ...string) {
	t.Helper()
	for want, change := range cases {
		a, arrays := New(t, k, options...), Arrays(slices.Clone(m.Arrays()))
		for i := range arrays {
			arrays[i].Values = slices.Clone(arrays[i].Values)
		}
		change(a, arrays)
		if _, err := a.Load(arrays, m.Dim()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	a := New(t, k, options...)
	if _, err := a.Load(Arrays(m.Arrays()), 1<<40); err == nil {
		t.Error("a model of far more coordinates is loaded")
	}
	if _, err := a.Load(Arrays{}, m.Dim()); err == nil {
		t.Error("a model is loaded from no arrays")
	}
}

// Scores returns the scores of rows.
func Scores(t testing.TB, m algorithm.Model, rows collabdict.Rows) []float64 {
	t.Helper()
	n, _ := rows.Dims()
	out := make([]float64, n)
	if err := m.(algorithm.Scorer).EachScores(rows, func(from int, scores []float64) { copy(out[from:], scores) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// Arrays are arrays in memory.
type Arrays []algorithm.Array

var _ algorithm.Arrays = Arrays(nil)

// FromModel returns the arrays of a model.
func FromModel(m algorithm.Model) Arrays { return m.Arrays() }

func (a Arrays) find(name string, shape []int) (algorithm.Array, error) {
	at := slices.IndexFunc(a, func(x algorithm.Array) bool { return x.Name == name })
	if at < 0 {
		return algorithm.Array{}, fmt.Errorf("%s: no such array", name)
	}
	if shape == nil {
		return a[at], nil
	}
	return a[at], algorithm.SameShape(name, a[at].Shape, shape)
}

// Values returns an array of numbers.
func (a Arrays) Values(name string, shape ...int) ([]float64, []int, error) {
	x, err := a.find(name, shape)
	if err == nil && x.Values == nil {
		err = fmt.Errorf("%s: want numbers, got whole numbers", name)
	}
	return slices.Clone(x.Values), x.Shape, err
}

// Has reports whether there is an array with the given name.
func (a Arrays) Has(name string) bool {
	return slices.ContainsFunc(a, func(x algorithm.Array) bool { return x.Name == name })
}

// Ints returns an array of whole numbers.
func (a Arrays) Ints(name string, shape ...int) ([]int64, []int, error) {
	x, err := a.find(name, shape)
	if err == nil && x.Ints == nil {
		err = fmt.Errorf("%s: want whole numbers, got others", name)
	}
	return slices.Clone(x.Ints), x.Shape, err
}

// near reports whether scores differ by no more than their last bits.
func near(a, b []float64) bool {
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= 1e-9*(1+math.Abs(v))) {
			return false
		}
	}
	return len(a) == len(b)
}
