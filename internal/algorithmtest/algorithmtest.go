// Package algorithmtest is what tests of algorithms share: algorithms made of settings,
// groups that train, and models that are written to memory and read from there.
//
// Start reading at [Check] and [Train].
package algorithmtest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/grouptest"
)

// Make returns an algorithm with settings, such as "rounds=3", or what is wrong with them.
func Make(kind algorithm.Kind, c algorithm.Coordinates, settings ...string) (algorithm.Algorithm, error) {
	a := kind.New()
	table := a.Options()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := table.Set(name, value); err != nil {
			return nil, err
		}
	}
	if err := table.Complete(); err != nil {
		return nil, err
	}
	return a, a.Prepare(c)
}

// New is Make of settings that are right, for rows that are not scaled.
func New(t testing.TB, kind algorithm.Kind, settings ...string) algorithm.Algorithm {
	t.Helper()
	a, err := Make(kind, algorithm.Coordinates{ScaledBy: algorithm.None}, settings...)
	if err != nil {
		t.Fatalf("%s %v: %v", kind.Name, settings, err)
	}
	return a
}

// Check fails unless the defaults are right, options have names of their own and are bound
// to each exported field once, and what files have of settings gives the same settings.
func Check(t *testing.T, kind algorithm.Kind, settings ...string) {
	t.Helper()
	New(t, kind)
	a := kind.New()
	table, names, bound := a.Options(), map[string]bool{}, map[any]int{}
	for _, o := range table {
		if names[o.Name] || o.Help == "" {
			t.Errorf("option %s: want a name of its own, and help, got %q", o.Name, o.Help)
		}
		names[o.Name] = true
		for _, f := range o.Fields {
			bound[f]++
		}
	}
	of := reflect.ValueOf(a).Elem()
	for _, f := range reflect.VisibleFields(of.Type()) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		if n := bound[of.FieldByIndex(f.Index).Addr().Interface()]; n != 1 {
			t.Errorf("field %s is bound to %d options, want 1", f.Name, n)
		}
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		if err := table.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Complete(); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, e := range table.Entries() {
		values[e.Key] = e.Value
	}
	read := kind.New().Options()
	if unknown, err := read.Load(values); err != nil || len(unknown) > 0 {
		t.Fatalf("%v: unknown are %v, %v", values, unknown, err)
	}
	if err := read.Complete(); err != nil || !reflect.DeepEqual(read.Fields(), table.Fields()) {
		t.Errorf("got %v, want %v; %v", read.Fields(), table.Fields(), err)
	}
}

// Train trains members of a group on the rows of each, and returns their outcomes by rank.
func Train(t testing.TB, run grouptest.Runner, a algorithm.Algorithm, data []algorithm.Data) []algorithm.Outcome {
	t.Helper()
	out := make([]algorithm.Outcome, len(data))
	err := run(t.Context(), len(data), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		out[rank], err = a.Train(ctx, g, data[rank], func(algorithm.Progress) {})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Loaded fails unless a model that is written and read has the same arrays, and gives the
// same scores of rows but for rounding: a mixture that is read works out determinants anew.
// It returns the one that is read.
func Loaded(t testing.TB, a algorithm.Algorithm, m algorithm.Model, rows collabdict.Rows) algorithm.Model {
	t.Helper()
	read, err := a.Load(FromModel(m), m.Dim())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read.Arrays(), m.Arrays()) {
		t.Error("a model that is read has other arrays")
	}
	want, scores := m.(algorithm.Scorer)
	if scores && !near(Scores(t, read.(algorithm.Scorer), rows), Scores(t, want, rows)) {
		t.Error("a model that is read has other scores")
	}
	return read
}

// Scores returns the scores of rows.
func Scores(t testing.TB, m algorithm.Scorer, rows collabdict.Rows) []float64 {
	t.Helper()
	n, _ := rows.Dims()
	out := make([]float64, n)
	if err := m.EachScores(rows, func(from int, scores []float64) { copy(out[from:], scores) }); err != nil {
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

// Ints returns an array of whole numbers.
func (a Arrays) Ints(name string, shape ...int) ([]int64, []int, error) {
	x, err := a.find(name, shape)
	if err == nil && x.Ints == nil {
		err = fmt.Errorf("%s: want whole numbers, got others", name)
	}
	return slices.Clone(x.Ints), x.Shape, err
}

// Data are those of participants with these rows, whose names are a, b and so on.
func Data(seed uint64, rows ...*mat.Dense) (data []algorithm.Data) {
	for s, x := range rows {
		data = append(data, algorithm.Data{Name: string(rune('a' + s)), Rows: matrix{x}, Seed: seed})
	}
	return data
}

// matrix are rows in memory.
type matrix struct{ *mat.Dense }

// Matrix returns the rows of x.
func Matrix(x *mat.Dense) collabdict.Rows { return matrix{x} }

func (m matrix) ReadRows(x []float64, from int) error {
	_, dim := m.Dims()
	for i := 0; i < len(x); i += dim {
		copy(x[i:i+dim], m.RawRowView(from))
		from++
	}
	return nil
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
