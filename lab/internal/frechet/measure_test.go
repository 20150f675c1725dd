package frechet

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/netsim"
)

// members returns the rows of members, which differ in number and distribution. The last two
// columns are the same, and the third has another scale.
func members(seed uint64, sizes ...int) []*mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []*mat.Dense
	for s, n := range sizes {
		x := mat.NewDense(n, 5, nil)
		for i := range n {
			u, v := rng.NormFloat64(), rng.NormFloat64()
			x.SetRow(i, []float64{u + float64(s), v * (1 + float64(s)), 300 * (u - v), u + v, u + v})
		}
		out = append(out, x)
	}
	return out
}

// apart returns the distance of each member's rows from the rows of all others, computed in one
// place.
func apart(t *testing.T, all []*mat.Dense) (own []float64) {
	t.Helper()
	for k, x := range all {
		var rest mat.Dense
		for j, y := range all {
			if j != k {
				stacked := mat.NewDense(rest.RawMatrix().Rows+y.RawMatrix().Rows, 5, slices.Concat(rest.RawMatrix().Data, y.RawMatrix().Data))
				rest = *stacked
			}
		}
		own = append(own, distance(t, normalOf(x), normalOf(&rest)))
	}
	return own
}

func normalOf(x *mat.Dense) Normal {
	n, dim := x.Dims()
	out := Normal{make([]float64, dim), mat.NewSymDense(dim, nil)}
	for j := range dim {
		out.Mean[j] = stat.Mean(mat.Col(nil, j, x), nil)
	}
	if n > 1 {
		stat.CovarianceMatrix(out.Covariance, x, nil)
		out.Covariance.ScaleSym(float64(n-1)/float64(n), out.Covariance)
	}
	return out
}

// Each member gets by sums the distance that is computed in one place, and all get the same mean.
// One of them has a single row.
func TestMeasure(t *testing.T) {
	all := members(1, 40, 1, 200, 90)
	want := apart(t, all)
	got := make([]Heterogeneity, len(all))
	err := lockstep.Run(t.Context(), len(all), func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		got[rank], err = Measure(ctx, g, rows.InMemory(all[rank]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, h := range got {
		if math.Abs(h.Own-want[rank]) > 1e-7*want[rank] || h.Mean != got[0].Mean || math.Abs(h.Mean-stat.Mean(want, nil)) > 1e-7*h.Mean {
			t.Errorf("member %d has %+v, want %g and a mean of %g", rank, h, want[rank], stat.Mean(want, nil))
		}
	}
}

// Over the protocol all members get the same mean.
func TestMeasureOverTheProtocol(t *testing.T) {
	all := members(2, 50, 60, 70, 80, 90)
	want := apart(t, all)
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(all)), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]Heterogeneity, len(all))
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
		got[rank], err = Measure(ctx, g, rows.InMemory(all[rank]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, h := range got {
		if math.Abs(h.Own-want[rank]) > 1e-5*want[rank] || h.Mean != got[0].Mean || math.Abs(h.Mean-stat.Mean(want, nil)) > 1e-5*h.Mean {
			t.Errorf("member %d has %+v, want %g and a mean of %g", rank, h, want[rank], stat.Mean(want, nil))
		}
	}
}

// A member that is not in the sums gets its own distance and the mean of the others.
func TestMeasureWithoutAMember(t *testing.T) {
	all := members(2, 50, 60, 70, 80, 90)
	var log recorded
	var mean float64
	err := lockstep.Run(t.Context(), 4, func(ctx context.Context, g collabdict.Group, rank int) error {
		if rank == 0 {
			g = &recorder{g, &log}
		}
		h, err := Measure(ctx, g, rows.InMemory(all[rank]))
		if rank == 0 {
			mean = h.Mean
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Measure(t.Context(), &absent{recorded: log}, rows.InMemory(all[4]))
	if want := apart(t, all)[4]; err != nil || math.Abs(h.Own-want) > 1e-7*want || h.Mean != mean {
		t.Errorf("got %+v, %v, want %g and the mean %g of the others", h, err, want, mean)
	}
}

// recorded holds the results of collectives.
type recorded struct {
	blobs  [][]byte
	totals [][]float64
}

type recorder struct {
	collabdict.Group
	log *recorded
}

func (r *recorder) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	total, err := r.Group.Sum(ctx, s)
	r.log.totals = append(r.log.totals, slices.Clone(total))
	return total, err
}

func (r *recorder) Gather(ctx context.Context, e collabdict.Entry, blob []byte) (blobs [][]byte, err error) {
	r.log.blobs, err = r.Group.Gather(ctx, e, blob)
	return r.log.blobs, err
}

// absent is the group of a member that was in none of the collectives.
type absent struct {
	collabdict.Whole
	recorded
}

func (a *absent) Membership() collabdict.Membership {
	return collabdict.Membership{Size: 4, Steady: true}
}

func (a *absent) Gather(context.Context, collabdict.Entry, []byte) ([][]byte, error) {
	return a.blobs, nil
}

func (a *absent) Sum(context.Context, collabdict.Summand) ([]float64, error) {
	total := a.totals[0]
	a.totals = a.totals[1:]
	return total, nil
}

// A column of zeros adds nothing to the distance. A column far from zero is refused by all members.
func TestMeasureOfUnsuitableRows(t *testing.T) {
	zero := members(3, 30, 30)
	for _, x := range zero {
		x.Apply(func(_, j int, v float64) float64 { return v * float64(min(j, 1)) }, x)
	}
	want := apart(t, zero)
	err := lockstep.Run(t.Context(), 2, func(ctx context.Context, g collabdict.Group, rank int) error {
		h, err := Measure(ctx, g, rows.InMemory(zero[rank]))
		if math.Abs(h.Own-want[rank]) > 1e-7*want[rank] {
			t.Errorf("a column of zeros: %g, want %g", h.Own, want[rank])
		}
		for i := range 30 {
			zero[rank].Set(i, 0, 1e9+float64(i))
		}
		if _, err := Measure(ctx, g, rows.InMemory(zero[rank])); err == nil || !strings.Contains(err.Error(), "got column 1 with a mean of 1.0000000145e+09 and nearly none: centre it") {
			t.Errorf("a column far from zero: %v", err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(t.Context(), collabdict.Solo{}, rows.InMemory(zero[0].Slice(0, 30, 1, 5).(*mat.Dense))); err == nil || !strings.Contains(err.Error(), "want rows at two members at least") {
		t.Errorf("alone: %v", err)
	}
}
