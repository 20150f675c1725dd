package algorithmtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Train trains the members of a group, each on its own rows, and returns their outcomes by
// rank.
func Train(t testing.TB, run grouptest.Runner, a algorithm.Algorithm, data []algorithm.Data) []algorithm.Outcome {
	t.Helper()
	out := make([]algorithm.Outcome, len(data))
	err := run(t.Context(), len(data), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		out[rank], err = a.Learn(ctx, g, data[rank], func(algorithm.Progress) {})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Result is the result of one participant.
type Result struct {
	algorithm.Outcome
	History []algorithm.Progress
	Sums    []int // number of values of each sum
	Gathers int
}

// Run trains participants together, each with its own secret.
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
	r.Outcome, err = a.Learn(ctx, noting{g, r}, d, func(p algorithm.Progress) { r.History = append(r.History, p) })
	return r, err
}

type noting struct {
	collabdict.Group
	r *Result
}

func (n noting) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	n.r.Sums = append(n.r.Sums, len(s.Values))
	return n.Group.Sum(ctx, s)
}

func (n noting) Gather(ctx context.Context, e collabdict.Entry, b []byte) ([][]byte, error) {
	n.r.Gathers++
	return n.Group.Gather(ctx, e, b)
}

// Failing is a group of one whose sums fail after a given number.
type Failing struct {
	collabdict.Solo
	Left int
}

// ErrLost is the error of a [Failing] group.
var ErrLost = errors.New("lost plant-b")

// Sum implements collabdict.Group.
func (f *Failing) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	if f.Left--; f.Left < 0 {
		return nil, ErrLost
	}
	return f.Solo.Sum(ctx, s)
}

// FailsLate checks a training whose sums fail in the third round, after the given number of
// sums: it must leave the model of two rounds.
func FailsLate(t *testing.T, two, more algorithm.Algorithm, d algorithm.Data, sums int) {
	t.Helper()
	t.Helper()
	want := Alone(t, two, d)
	got, err := train(t.Context(), more, &Failing{Left: sums}, d)
	if !errors.Is(err, ErrLost) || got.Last.Number != 2 || got.Model == nil {
		t.Fatalf("%v after round %d", err, got.Last.Number)
	}
	own := func(r *Result) (arrays []algorithm.Array) {
		if of, may := r.Model.(algorithm.Personal); may {
			arrays = of.OwnArrays()
		}
		return arrays
	}
	if !reflect.DeepEqual(got.Model.Arrays(), want.Model.Arrays()) || !reflect.DeepEqual(own(got), own(want)) {
		t.Error("not the model of two rounds")
	}
	got, err = train(t.Context(), more, &Failing{}, d)
	if !errors.Is(err, ErrLost) || got.Last.Number != 0 || got.Model != nil {
		t.Errorf("%v after round %d, with model %v", err, got.Last.Number, got.Model)
	}
}

// Shown joins what a disclosure shows in one form.
func Shown(d algorithm.Disclosure, form algorithm.Form) string {
	var list []string
	for _, i := range d.Items {
		if i.Form == form {
			list = append(list, i.What)
		}
	}
	return strings.Join(list, "; ")
}
