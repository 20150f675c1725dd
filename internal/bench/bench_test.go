package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/testkit"
)

var (
	exact  = consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}
	parity = consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks, Parity: true}
	shamir = consensus.Settings{Scheme: consensus.BaseK, Protect: chunking.Shamir}
	float  = consensus.Settings{
		Scheme: consensus.Laplacian, Step: session.Chebyshev, Graph: graph.HamiltonCycles, Degree: 4, Tolerance: 1e-9, Protect: chunking.Chunks,
	}
)

// Sums of every scheme are right, and their figures have the values that their names promise. Nothing
// runs at the same time, since one figure is the growth of the heap.
func TestSums(t *testing.T) {
	for name, test := range map[string]struct {
		settings consensus.Settings
		plan     string
		rounds   int
	}{
		"exact":     {exact, "fold-in k=1", 2},
		"parity":    {parity, "fold-in k=1", 2},
		"base-k":    {shamir, "base-k k=1", 2},
		"laplacian": {float, "laplacian chebyshev on complete", 1},
	} {
		if testkit.Raced && name != "exact" {
			continue // all schemes have the same goroutines
		}
		t.Run(name, func(t *testing.T) {
			c := Consensus{Nodes: 4, Values: 500, Settings: test.settings, Dir: t.TempDir()}
			r, err := MeasureConsensus(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Plan != test.plan || r.Rounds != test.rounds {
				t.Errorf("by %s in %d rounds, want %s in %d", r.Plan, r.Rounds, test.plan, test.rounds)
			}
			if want := slices.IndexFunc(r.Arithmetics, func(a Arithmetic) bool { return a.Name == "ring" && a.Mask == r.Mask }); want < 0 || len(r.Arithmetics) != 4 {
				t.Errorf("mask %g, of %+v", r.Mask, r.Arithmetics)
			}
			for _, a := range r.Arithmetics {
				if !(a.Mask > 0 && a.Add > a.Mask) {
					t.Errorf("%+v: want to add faster what needs no expansion", a)
				}
			}
			if !(r.Seconds > 0 && r.Bytes > r.DataBytes && r.DataBytes > 8*500 && r.Messages > 0 && r.Memory > 0) || math.IsInf(r.MaxError, 0) {
				t.Errorf("got %+v", r.SumReport)
			}
			if !(r.Predicted >= 8*500 && r.Predicted < 1.1*r.DataBytes) || r.PredictedRatio != r.Bytes/r.Predicted {
				t.Errorf("predicted %g bytes, ratio %g of %g, %g of them point to point", r.Predicted, r.PredictedRatio, r.Bytes, r.DataBytes)
			}
			if r.RingBytes != 6000 || r.RingRatio != r.Bytes/6000 {
				t.Errorf("a ring all-reduce of %g bytes, ratio %g of %g", r.RingBytes, r.RingRatio, r.Bytes)
			}
		})
	}
}

// Protection costs seeds, not vectors: a sum of long vectors takes at most four times the bytes
// of a ring all-reduce in the clear.
func TestLongVectorsAreSentAboutTwice(t *testing.T) {
	testkit.SkipRaced(t) // the goroutines are those of TestSums
	c := Consensus{Nodes: 8, Values: 1 << 16, Settings: exact, Dir: t.TempDir()}
	r, err := MeasureConsensus(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan != "circulant" || r.Rounds != 6 || r.Chunks != 8 {
		t.Errorf("by %s in %d rounds with %d chunks, want circulant in 6 with 8", r.Plan, r.Rounds, r.Chunks)
	}
	if want := 2 * 7. / 8 * (8*1<<16 + 8); r.Predicted != want {
		t.Errorf("predicted %g bytes, want %g", r.Predicted, want)
	}
	if !(r.RingRatio > 1 && r.RingRatio < 4) {
		t.Errorf("%g bytes a node, %g times a ring all-reduce, want 1 to 4", r.Bytes, r.RingRatio)
	}
}

func TestWrongTotalsAreErrors(t *testing.T) {
	x := draw(3, 10)
	sum := make([]float64, 10)
	for i := range sum {
		sum[i] = x[0][i] + x[1][i] + x[2][i]
	}
	off := slices.Clone(sum)
	off[7] += 1e-3
	nan := slices.Clone(sum)
	nan[0] = math.NaN()
	for name, test := range map[string]struct {
		totals [][]float64
		limit  float64
		want   string
	}{
		"right":       {[][]float64{sum, sum, sum}, 0, ""},
		"close":       {[][]float64{off, off, off}, 2e-3, ""},
		"off":         {[][]float64{off, off, off}, 1e-4, "value 7 of the total"},
		"not a value": {[][]float64{nan, nan, nan}, 1, "node-000"},
		"different":   {[][]float64{sum, sum, off}, 1, "node-000 and node-002 have different totals"},
		"short":       {[][]float64{sum[:9], sum[:9], sum[:9]}, 1, "want a total of 10 values, got 9"},
	} {
		_, err := check(x, test.totals, test.limit)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	for _, s := range []consensus.Settings{exact, parity, shamir, float} {
		if c := (Consensus{Nodes: 16, Settings: s}); !(c.largestError() > 0 && c.largestError() < 1e-3) {
			t.Errorf("%s: an error of %g would pass", s.Scheme, c.largestError())
		}
	}
}

// A stopped bench returns an error, and leaves no lock on its files.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c := Consensus{Nodes: 3, Values: 10, Settings: exact, Dir: t.TempDir()}
	if _, err := MeasureConsensus(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("the arithmetic goes on: %v", err)
	}
	if _, err := measureSum(ctx, c, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("the sum goes on: %v", err)
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		t.Error(err)
	}
}
