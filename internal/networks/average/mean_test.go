package average

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/vae"
)

func parameters() *vae.Parameters { return vae.New("n", 2, vae.Layer{Units: 3}).Shared }

// All hold the mean of what all have made of the parameters, by weight, and the sums.
func TestMean(t *testing.T) {
	weights := []float64{3, 0, 50}
	held := make([][]float32, len(weights))
	err := lockstep.Run(t.Context(), len(weights), func(ctx context.Context, g collabdict.Group, rank int) error {
		p := parameters()
		m := New(p, 1, 0)
		for round := range 2 {
			total, err := m.Round(ctx, g, func(context.Context) (Part, error) {
				for i := range p.Values {
					p.Values[i] += float32((i - 4) * (rank + 1) * (round + 1))
				}
				return Part{weights[rank], []float64{float64(rank)}}, nil
			})
			if err != nil {
				return err
			}
			if total.Weight != 53 || !slices.Equal(total.Beside, []float64{3}) || !total.Own {
				t.Errorf("got %+v", total)
			}
		}
		held[rank] = p.Values
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range held {
		for i, got := range held[rank] {
			if want := float64(i-4) * 3 * (3*1 + 50*3) / 53; math.Abs(float64(got)-want) > 1e-5 || got != held[0][i] {
				t.Errorf("member %d: parameter %d is %g, want %g", rank, i, got, want)
			}
		}
	}
}

// Where nobody has a weight nothing changes.
func TestNoWeight(t *testing.T) {
	p := parameters()
	total, err := New(p, 0, 0).Round(t.Context(), collabdict.Solo{}, func(context.Context) (Part, error) {
		p.Values[2] = 5
		return Part{}, nil
	})
	if err != nil || total.Weight != 0 || p.Values[2] != 0 {
		t.Errorf("got %+v, %v and %v", total, err, p.Values)
	}
}

// A member does not train for a round that has begun without it, and has no part in it,
// whether the round is over yet or not.
func TestRoundWithoutOwnPart(t *testing.T) {
	p := parameters()
	m := New(p, 1, 0)
	counts := make([]float64, powers*(len(p.Shapes)+2))
	total := make([]float64, len(p.Values)+2)
	total[0], total[len(p.Values)], total[len(p.Values)+1] = 0.25, 3, 0.5
	train := func(context.Context) (Part, error) {
		t.Error("it has trained")
		return Part{1, []float64{1}}, nil
	}
	for _, over := range []bool{true, false} {
		g := &grouptest.Ahead{Early: [][]float64{counts}, Answers: [][]float64{total}}
		if over {
			g.Early = append(g.Early, total)
		}
		got, err := m.Round(t.Context(), g, train)
		if err != nil || got.Own || got.Weight != 0.5 || got.Beside[0] != 3 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if over != (g.Asked == nil) || slices.ContainsFunc(g.Asked, func(v float64) bool { return v != 0 }) {
			t.Errorf("over %t: got a part of its own %v", over, g.Asked)
		}
	}
	if p.Values[0] != 1 {
		t.Errorf("got %g, want 1", p.Values[0])
	}
	for _, missed := range [][][]float64{{counts[1:]}, {counts, total[1:]}} {
		if _, err := m.Round(t.Context(), &grouptest.Ahead{Early: missed}, train); err == nil {
			t.Error("want an error for a sum of another length")
		}
	}
}

// Where training changes nothing but the parameters, who was started again trains for the
// round under way alone; else for all that it was in.
func TestDecidedRoundsNeedNoTraining(t *testing.T) {
	for name, of := range map[string]struct {
		shared, over, in bool
		trained          int
	}{
		"a round that is over":                        {shared: true, over: true, in: true},
		"a round that is over without it":             {shared: true, over: true},
		"a round that has begun":                      {shared: true, in: true, trained: 1},
		"a round that has begun without it":           {shared: true},
		"a round that is over, of private parameters": {over: true, in: true, trained: 1},
	} {
		p := parameters()
		m := New(p, 0, 1)
		m.Shared = of.shared
		counts := make([]float64, powers*len(p.Shapes))
		for i := range p.Shapes {
			counts[powers*i+4-leastPower] = 1
		}
		total := make([]float64, len(p.Values)+1)
		total[0], total[len(p.Values)] = 0.25, 0.5
		g := &grouptest.Ahead{Early: [][]float64{counts}, Answers: [][]float64{total}, In: of.in}
		if of.over {
			g.Early = append(g.Early, total)
		}
		if !of.shared { // the calls are answered one by one
			g.Answers, g.Early = [][]float64{counts, total}, nil
		}
		trained := 0
		got, err := m.Round(t.Context(), g, func(context.Context) (Part, error) {
			trained++
			p.Values[1] = 9
			return Part{Weight: 1}, nil
		})
		if err != nil || got.Weight != 0.5 || got.Own != of.in || p.Values[0] != 0.5 || p.Values[1] != 0 {
			t.Errorf("%s: got %+v, %v and parameters %v", name, got, err, p.Values[:2])
		}
		if trained != of.trained {
			t.Errorf("%s: trained %d times, want %d", name, trained, of.trained)
		}
		if asked := trained > 0 && (g.Asked[1] != 9 || g.Asked[len(p.Values)] != 1) || of.over && of.shared && g.Asked != nil; asked {
			t.Errorf("%s: brings %v", name, g.Asked)
		}
	}
}

// A member that is lost while bounds are agreed on has no part in the round, although it has
// trained: its changes may be above the bounds.
func TestLostWhileBoundsAreAgreed(t *testing.T) {
	p := parameters()
	counts, total := make([]float64, powers*(len(p.Shapes)+1)), make([]float64, len(p.Values)+1)
	total[0], total[len(p.Values)] = 8, 4
	got, err := New(p, 0, 0).Round(t.Context(), &grouptest.Ahead{Answers: [][]float64{counts, total}}, func(context.Context) (Part, error) {
		p.Values[0] = 1e6
		return Part{Weight: 1}, nil
	})
	if err != nil || got.Own || got.Weight != 4 || p.Values[0] != 2 {
		t.Errorf("got %+v, %v and parameter %g", got, err, p.Values[0])
	}
}

// Each bound is the smallest power of two above the largest value of any member.
func TestBoundsAreTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 3
		size := rapid.IntRange(1, 4).Draw(t, "members")
		values := make([][]float64, size)
		for k := range values {
			for range n {
				values[k] = append(values[k], rapid.SampledFrom([]float64{0, 1e-12, 0x1p-32, 0.25, 0.3, 1, 7, 1e9, math.Nextafter(0x1p32, 0)}).Draw(t, "value"))
			}
		}
		err := lockstep.Run(context.Background(), size, func(ctx context.Context, g collabdict.Group, rank int) error {
			got, err := Bounds(ctx, g, boundsEntry, values[rank])
			if err != nil {
				return err
			}
			for i, b := range got {
				most := 0.0
				for k := range values {
					most = max(most, values[k][i])
				}
				if !(most < b) || b > 2*most && b != 0x1p-31 {
					t.Errorf("%g is bounded by %g", most, b)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, v := range []float64{-1, math.NaN(), 0x1p32, math.Inf(1)} {
		if _, err := Bounds(t.Context(), collabdict.Solo{}, boundsEntry, []float64{0, v}); err == nil || !strings.Contains(err.Error(), "value 2 of 2: want from 0 to below 2^32") {
			t.Errorf("%g: got %v", v, err)
		}
	}
}
