package columnstats

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// middleOf returns the mean and the deviation of each column.
func middleOf(x *mat.Dense) (m Middle) {
	_, dim := x.Dims()
	for j := range dim {
		mean, deviation := stat.PopMeanStdDev(mat.Col(nil, j, x), nil)
		if deviation < 1e-10*math.Abs(mean) {
			deviation = 0
		}
		m.Centre, m.Spread = append(m.Centre, mean), append(m.Spread, deviation)
	}
	return m
}

// ofMember returns the rows of a member. Column 0 is usual, 1 is far from 0, 2 has another level
// at each member, 3 has one value, 4 has one value at each member, and 5 is tiny.
func ofMember(rank, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(rank), 8))
	x := mat.NewDense(n, 6, nil)
	for i := range n {
		x.SetRow(i, []float64{2 * rng.NormFloat64(), 1e9 + rng.NormFloat64(), float64(40*rank) + rng.NormFloat64(), 50, float64(rank), 1e-12 * rng.NormFloat64()})
	}
	return x
}

func frames(t *testing.T, members int, rows func(rank int) *mat.Dense) []*Frame {
	t.Helper()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(members), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]*Frame, members)
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
		x := rows(rank)
		got[rank], err = AgreeFrame(ctx, g, middleOf(x), rand.NewPCG(uint64(rank), 3))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// In a frame, the rows of every member are near 0 and have a spread of about 1. All members have
// the same frame, and the numbers of their rows do not matter. So it is in large groups.
func TestFrame(t *testing.T) {
	for _, members := range []int{3, 5, 70} {
		if testkit.Raced && members > 5 {
			continue // a few members have the same goroutines
		}
		got := frames(t, members, func(rank int) *mat.Dense { return ofMember(rank%8, 40) })
		for rank, f := range got {
			if !slices.Equal(f.Centre, got[0].Centre) || !slices.Equal(f.Spread, got[0].Spread) || !slices.Equal(f.Constant, got[0].Constant) {
				t.Fatalf("%d members: member %d has another frame", members, rank)
			}
		}
		f, all := got[0], make([][]float64, 6)
		for rank := range min(members, 8) {
			x := ofMember(rank, 40)
			for j := range all {
				all[j] = append(all[j], mat.Col(nil, j, x)...)
			}
		}
		for j, values := range all {
			mean, deviation := stat.MeanStdDev(values, nil)
			if j == 3 {
				continue
			}
			most := 2.0
			if j == 1 { // a sum has nine digits, and this column has a billionth of its size as deviation
				most = 10
			}
			if off := math.Abs(f.Centre[j]-mean) / deviation; off > most {
				t.Errorf("%d members, column %d: the centre is %.2g deviations from the mean", members, j, off)
			}
			if ratio := deviation / f.Spread[j]; !(ratio > 0.2 && ratio < 4) {
				t.Errorf("%d members, column %d: a deviation of %.2g in the frame", members, j, ratio)
			}
			if within := middleOf(ofMember(0, 40)).Spread[j]; !(f.Others[j] >= 0.4*within && f.Others[j] <= 2.5*within+1e-30) {
				t.Errorf("%d members, column %d: the others' spread is %.2g, within a member it is %.2g", members, j, f.Others[j], within)
			}
		}
		if len(f.Constant) != 1 || f.Constant[0] != 3 || f.Spread[3] != 1 {
			t.Errorf("%d members: columns %v are constant, want column 3", members, f.Constant)
		}
	}
	few := frames(t, 4, func(rank int) *mat.Dense { return ofMember(rank, 40) })
	again := frames(t, 4, func(rank int) *mat.Dense {
		var x mat.Dense
		x.Stack(ofMember(rank, 40), ofMember(rank, 40))
		return &x
	})
	for j := range few[0].Centre {
		if v, w := few[0].Spread[j], again[0].Spread[j]; math.Abs(v/w-1) > 1e-6 {
			t.Errorf("column %d: a spread of %g, and of %g with all rows twice", j, v, w)
		}
	}
}

// two is a group of two in which the other member sends zeros, so the total is the own vector. It
// keeps the last one that is no count of members.
type two struct {
	collabdict.Solo
	total *[]float64
}

func (two) Membership() collabdict.Membership { return collabdict.Membership{Size: 2} }

func (g two) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	if s.Blocks[0].Bound > 1.5 { // not counts
		*g.total = join(s.Values)
	}
	return s.Values, collabdict.CheckBlocks(s.Values, s.Blocks)
}

// A member sends the same after a restart. Even by itself, that shows the middle of a column
// only to within its spread, and the spread to within a factor of two.
func TestFrameHidesAMember(t *testing.T) {
	x := ofMember(1, 60)
	own := middleOf(x)
	send := func(seed uint64) (sent []float64) {
		if _, err := AgreeFrame(t.Context(), two{total: &sent}, own, rand.NewPCG(seed, 0)); err != nil {
			t.Fatal(err)
		}
		return sent
	}
	if !reflect.DeepEqual(send(1), send(1)) {
		t.Error("two vectors from one source")
	}
	const seeds = 400
	for _, j := range []int{0, 1, 2, 5} {
		var centre, spread, square float64
		for seed := range uint64(seeds) {
			sent := send(seed)
			w := sent[3*j]
			off := (sent[3*j+1]/w - own.Centre[j]) / own.Spread[j]
			times := math.Log2(sent[3*j+2] / w / own.Spread[j])
			centre += off / seeds
			square += off * off / seeds
			spread += times * times / seeds
		}
		// A uniform value between −1 and 1 has the deviation 1/√3.
		if got := math.Sqrt(square); math.Abs(centre) > 0.12 || math.Abs(got-1/math.Sqrt(3)) > 0.05 {
			t.Errorf("column %d: the centre is off by %.3f ± %.3f spreads, want 0 ± 0.577", j, centre, got)
		}
		if got := math.Sqrt(spread); math.Abs(got-1/math.Sqrt(3)) > 0.05 {
			t.Errorf("column %d: the spread is off by ± %.3f factors of two, want 0.577", j, got)
		}
	}
}
