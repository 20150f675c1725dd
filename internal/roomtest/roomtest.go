// Package roomtest checks algorithms as package algorithm has them, and trains them in groups.
package roomtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/option"
)

// New returns an algorithm with options as they are given, name and text in turn.
func New(k algorithm.Kind, options ...string) (algorithm.Algorithm, option.Table, error) {
	a := k.New()
	table := a.Options()
	for i := 0; i < len(options); i += 2 {
		if err := table.Set(options[i], options[i+1]); err != nil {
			return a, table, err
		}
	}
	if err := table.Complete(); err != nil {
		return a, table, err
	}
	return a, table, a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.None})
}

// Must is New where the options can be used.
func Must(t testing.TB, k algorithm.Kind, options ...string) algorithm.Algorithm {
	t.Helper()
	a, _, err := New(k, options...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Options checks that every exported field is bound once, that names are unique, that
// defaults are these, in order and without what does not apply, and that options which cannot
// be used give these errors, the key being options as "name text, name text".
func Options(t *testing.T, k algorithm.Kind, defaults string, wrong map[string]string) {
	t.Helper()
	a, table, err := New(k)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	bound := map[any]int{}
	for _, o := range table {
		if names[o.Name] || o.Help == "" {
			t.Errorf("%s is there twice, or has no help", o.Name)
		}
		names[o.Name] = true
		for _, f := range o.Fields {
			bound[f]++
		}
	}
	v := reflect.ValueOf(a).Elem()
	for i := range v.NumField() {
		if p := v.Field(i).Addr().Interface(); v.Type().Field(i).IsExported() && bound[p] != 1 {
			t.Errorf("%s is bound %d times", v.Type().Field(i).Name, bound[p])
		}
	}
	var list []string
	for _, f := range table.Fields() {
		list = append(list, f.Name+"="+f.Value)
	}
	if got := strings.Join(list, " "); got != defaults {
		t.Errorf("defaults are %s, want %s", got, defaults)
	}
	for options, want := range wrong {
		var pairs []string
		for o := range strings.SplitSeq(options, ", ") {
			name, text, _ := strings.Cut(o, " ")
			pairs = append(pairs, name, text)
		}
		_, _, err := New(k, pairs...)
		var e *option.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", options, err, want)
		}
	}
}

// Result is what one participant comes to.
type Result struct {
	algorithm.Outcome
	History []algorithm.Progress
	Sums    []int // how many values each sum had
	Gathers int
}

// Run trains participants together, each with a secret of its own.
func Run(t *testing.T, a algorithm.Algorithm, all []algorithm.Data) []*Result {
	t.Helper()
	out := make([]*Result, len(all))
	err := lockstep.Run(t.Context(), len(all), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		d := all[rank]
		d.Source = rand.NewPCG(7, uint64(rank))
		out[rank], err = train(ctx, a, g, d)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Alone trains one participant.
func Alone(t *testing.T, a algorithm.Algorithm, d algorithm.Data) *Result {
	t.Helper()
	r, err := train(t.Context(), a, collabdict.Solo{}, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func train(ctx context.Context, a algorithm.Algorithm, g collabdict.Group, d algorithm.Data) (*Result, error) {
	r := &Result{}
	var err error
	r.Outcome, err = a.Train(ctx, noting{g, r}, d, func(p algorithm.Progress) { r.History = append(r.History, p) })
	return r, err
}

type noting struct {
	collabdict.Group
	r *Result
}

func (n noting) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	n.r.Sums = append(n.r.Sums, len(x))
	return n.Group.Sum(ctx, x, blocks)
}

func (n noting) Gather(ctx context.Context, b []byte) ([][]byte, error) {
	n.r.Gathers++
	return n.Group.Gather(ctx, b)
}

// Failing is a group of one whose sums fail after so many.
type Failing struct {
	collabdict.Solo
	Left int
}

// ErrLost is the error of a [Failing] group.
var ErrLost = errors.New("lost plant-b")

// Sum implements collabdict.Group.
func (f *Failing) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if f.Left--; f.Left < 0 {
		return nil, ErrLost
	}
	return f.Solo.Sum(ctx, x, blocks)
}

// FailsLate checks that a training whose sums fail after so many, in the third round, leaves
// the model that two rounds leave.
func FailsLate(t *testing.T, two, more algorithm.Algorithm, d algorithm.Data, sums int) {
	t.Helper()
	want := Alone(t, two, d)
	got, err := train(t.Context(), more, &Failing{Left: sums}, d)
	if !errors.Is(err, ErrLost) || got.Last.Number != 2 || got.Model == nil {
		t.Fatalf("%v after round %d", err, got.Last.Number)
	}
	if !reflect.DeepEqual(got.Model.Arrays(), want.Model.Arrays()) {
		t.Error("another model than of two rounds")
	}
	got, err = train(t.Context(), more, &Failing{}, d)
	if !errors.Is(err, ErrLost) || got.Last.Number != 0 || got.Model != nil {
		t.Errorf("%v after round %d, with model %v", err, got.Last.Number, got.Model)
	}
}

// Arrays are arrays as a file has them.
type Arrays []algorithm.Array

// Values implements algorithm.Arrays.
func (a Arrays) Values(name string, shape ...int) ([]float64, []int, error) {
	for _, array := range a {
		if array.Name == name {
			return array.Values, array.Shape, algorithm.SameShape(name, array.Shape, shape)
		}
	}
	return nil, nil, fmt.Errorf("no %s", name)
}

// Ints implements algorithm.Arrays: there are none.
func (Arrays) Ints(name string, _ ...int) ([]int64, []int, error) {
	return nil, nil, fmt.Errorf("no %s", name)
}

// Loaded returns the model that the algorithm makes of another's arrays, which has to have
// the same arrays. Its own part is loaded, too.
func Loaded(t *testing.T, a algorithm.Algorithm, m algorithm.Model) algorithm.Model {
	t.Helper()
	got, err := a.Load(Arrays(m.Arrays()), m.Dim())
	if err != nil {
		t.Fatal(err)
	}
	if got.Dim() != m.Dim() || !reflect.DeepEqual(got.Arrays(), m.Arrays()) {
		t.Error("the model that is loaded is another")
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

// Refuses checks the errors for arrays that do not fit the options, and for arrays that
// were changed.
func Refuses(t *testing.T, k algorithm.Kind, m algorithm.Model, cases map[string]func(a algorithm.Algorithm, arrays Arrays), options ...string) {
	t.Helper()
	for want, change := range cases {
		a, arrays := Must(t, k, options...), Arrays(slices.Clone(m.Arrays()))
		for i := range arrays {
			arrays[i].Values = slices.Clone(arrays[i].Values)
		}
		change(a, arrays)
		if _, err := a.Load(arrays, m.Dim()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	a := Must(t, k, options...)
	for _, dim := range []int{-1, 0, 1 << 40} {
		if _, err := a.Load(Arrays(m.Arrays()), dim); err == nil {
			t.Errorf("a model of %d coordinates is loaded", dim)
		}
	}
	if _, err := a.Load(Arrays{}, m.Dim()); err == nil {
		t.Error("a model is loaded of nothing")
	}
}

// Scores returns those of rows.
func Scores(t *testing.T, m algorithm.Model, z *mat.Dense) []float64 {
	t.Helper()
	n, _ := z.Dims()
	scores := make([]float64, n)
	if err := m.(algorithm.Scorer).EachScores(gmm.Matrix(z), func(from int, block []float64) { copy(scores[from:], block) }); err != nil {
		t.Fatal(err)
	}
	return scores
}

// Draw returns n rows whose columns have these means and deviations.
func Draw(seed uint64, n int, mean, deviation []float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, len(mean), nil)
	for i := range n {
		for j, m := range mean {
			x.Set(i, j, m+deviation[j]*rng.NormFloat64())
		}
	}
	return x
}

// Clusters are the rows of so many participants, 60 each, in two clusters; each participant
// has other shares of them.
func Clusters(participants int) (all []algorithm.Data) {
	for s := range participants {
		x := Draw(uint64(s), 60, []float64{-3, 1}, []float64{1, 0.5})
		for i := range 60 * (s + 1) / (participants + 1) {
			x.Set(i, 0, x.At(i, 0)+7)
		}
		all = append(all, Data(s, x))
	}
	return all
}

// Data are the rows of a participant.
func Data(rank int, x *mat.Dense) algorithm.Data {
	return algorithm.Data{Name: fmt.Sprint("p", rank), Rows: gmm.Matrix(x), Seed: 3}
}
