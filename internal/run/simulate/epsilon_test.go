package simulate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// secrets is a source of coins, one for each row, and then of noise.
type secrets struct {
	coins, noise rand.Source
	rows         int
	without      int // place of a coin that is left out, -1 for none
}

func (s *secrets) Uint64() uint64 {
	if s.rows == 0 {
		return s.noise.Uint64()
	}
	s.rows--
	if s.without--; s.without == -1 {
		s.coins.Uint64()
	}
	return s.coins.Uint64()
}

// inserted returns rows with one more at a place.
func inserted(x *mat.Dense, at int, row []float64) *mat.Dense {
	n, dim := x.Dims()
	out := mat.NewDense(n+1, dim, nil)
	for i := range n + 1 {
		switch {
		case i < at:
			out.SetRow(i, x.RawRowView(i))
		case i == at:
			out.SetRow(i, row)
		default:
			out.SetRow(i, x.RawRowView(i-1))
		}
	}
	return out
}

// With epsilon, a member's calls in a run are the same if its file has one row more, with the same
// coins and the same noise, but for the values of its vectors. These differ by no more than the
// noise covers: Σ (Δ/σ)² over all totals is at most the squared ratio that belongs to epsilon and
// delta. That is so for any place of the row and for any row.
func TestOneRowMoreIsCovered(t *testing.T) {
	testkit.SkipRaced(t)
	const members, n, dim, epsilon, delta = 3, 60, 3, 1.0, 1e-5
	parts := twoClusters(members, n, dim)
	most := math.Pow(privacy.GaussianRatio(epsilon, delta), 2)
	for _, kind := range [][]string{{"ggm"}, {"ggm", "hold-out=0"}, {"ggm", "hold-out=0.5", "rounds=20"}, {"dem"}, {"dem", "hold-out=0.2"}} {
		task := func() *pipeline.Task {
			k := pipelinetest.With(t, kind[0], append([]string{fmt.Sprint("epsilon=", epsilon), fmt.Sprint("delta=", delta), "components=2", "seed=1", "consensus.scheme=exact"}, kind[1:]...)...)
			k.Ranges = pipeline.Ranges{"*": {0, 1}}
			if err := k.Complete(); err != nil {
				t.Fatal(err)
			}
			return k.Resolved(dim, 3)
		}
		moved := 0
		for place, at := range []int{0, n / 2, n} {
			for which, row := range [][]float64{{0.3, 0.3, 0.3}, {1e300, -1e300, 1e300}} {
				if !testkit.Long && place%2 != which {
					continue
				}
				name := fmt.Sprintf("%v, row %d more, %v", kind, at+1, row)
				watch, k := differencing.NewWatch(members), task()
				net, err := netsim.New(netsim.Config{Settings: k.Settings, Seed: 1, Names: []string{"a", "b", "c"}, Observer: watch})
				if err != nil {
					t.Fatal(err)
				}
				// source has the same coins for the same rows, with or without one row more.
				source := func(rows, without int, noisy uint64) rand.Source {
					if k.HoldOut == 0 {
						rows = 0
					}
					return &secrets{noise(uint64(at), 0), noise(noisy, 0), rows, without}
				}
				if _, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
					own := noise(9, rank)
					if rank == 0 {
						own = source(n, at, 7)
					}
					_, err := k.Fit(ctx, g, parts[rank], own, nil)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				slots := slices.DeleteFunc(watch.Slots(), func(s differencing.Slot) bool { return s.Vectors[0] == nil })
				// again returns the vectors of the first member with other rows or another source.
				again := func(p dataset.Participant, source rand.Source) [][]float64 {
					var answers, asked [][]float64
					for _, s := range slots {
						answers = append(answers, slices.Clone(s.Total))
					}
					told := func(ctx context.Context, _ int, f func(context.Context, collabdict.Group, int) error) error {
						return f(ctx, &grouptest.Ahead{Answers: answers, In: true}, 0)
					}
					err := grouptest.Watch(told, &asked)(t.Context(), members, func(ctx context.Context, g collabdict.Group, _ int) error {
						_, err := task().Fit(ctx, g, p, source, nil)
						return err
					})
					if err != nil || len(asked) != len(slots) {
						t.Fatalf("%s: %d of %d calls, %v", name, len(asked), len(slots), err)
					}
					return asked
				}
				p := parts[0]
				for i, x := range again(p, source(n, at, 7)) {
					if !slices.Equal(x, slots[i].Vectors[0]) {
						t.Fatalf("%s: vector %d is another one in the same run", name, i)
					}
				}
				p.Train = rows.InMemory(inserted(dense(parts[0].Train), at, row))
				more := again(p, source(n+1, -1, 7))
				var others [][][]float64
				for key := range 4 {
					others = append(others, again(parts[0], source(n, at, uint64(100+key))))
				}
				sum := 0.0
				for i, x := range more {
					square := 0.0
					for j, v := range x {
						d := v - slots[i].Vectors[0][j]
						square += d * d
					}
					if square > 0 {
						moved++
					}
					// The noise of the members that do not collude hides the row.
					honest := float64(members - k.Settings.Rules(members).Colluders)
					sum += square / (honest * variance(others, i))
				}
				if sum > 1.3*most { // the variance is measured
					t.Errorf("%s: Σ (Δ/σ)² is %.3g, want at most %.3g", name, sum, most)
				}
				t.Logf("%s: Σ (Δ/σ)² %.3g of %.3g over %d totals", name, sum, most, len(slots))
			}
		}
		if moved == 0 {
			t.Errorf("%v: the row changes nothing: nothing is tested", kind)
		}
	}
}

// With epsilon, a member publishes the same if its file has one row more, with the same coins and the
// same noise, but for the values of its mixtures. These follow from sums with noise of the
// account. With one component, no sum depends on earlier ones, so those that are not published differ
// by as much. Σ (Δ/σ)² over all is at most the squared ratio of epsilon and delta.
func TestOneRowMoreIsCoveredInTheClear(t *testing.T) {
	testkit.SkipRaced(t) // as TestOneRowMoreIsCovered
	const members, n, dim, epsilon, delta = 3, 2000, 2, 1.0, 1e-5
	parts := twoClusters(members, n, dim)
	most := math.Pow(privacy.GaussianRatio(epsilon, delta), 2)
	for _, of := range []struct {
		kind    string
		options []string
		sums    int // number of noisy vectors, published or not
	}{
		{"fedgen", nil, 10},
		{"fedgen", []string{"hold-out=0.2"}, 10},
		{"fedgen", []string{"synthetic=50"}, 10},
		{"fedgem", nil, 20},
		{"fedgem", []string{"hold-out=0.2", "rounds=5"}, 15},
		{"fedgem", []string{"final=factor=2", "radius=half", "local-steps=2"}, 29},
	} {
		k := pipelinetest.With(t, of.kind, append([]string{fmt.Sprint("epsilon=", epsilon), fmt.Sprint("delta=", delta), "components=1", "seed=1"}, of.options...)...)
		k.Ranges = pipeline.Ranges{"*": {0, 1}}
		if err := k.Complete(); err != nil {
			t.Fatal(err)
		}
		k = k.Resolved(dim, 3)
		deviation := privacy.NewOwnAccount(privacy.Allowed(epsilon, delta), of.sums).Plan(1).Deviation(math.Sqrt(3))
		for place, at := range []int{0, n / 2, n} {
			for which, row := range [][]float64{{0.3, 0.3}, {1e300, -1e300}} {
				if !testkit.Long && place%2 != which {
					continue
				}
				name := fmt.Sprintf("%s %v, row %d more, %v", of.kind, of.options, at+1, row)
				var blobs [2][][]byte // without the row and with it
				for world := range blobs {
					all := slices.Clone(parts)
					if world == 1 {
						all[0].Train = rows.InMemory(inserted(dense(parts[0].Train), at, row))
					}
					blobs[world] = publishing(t, k, all, 1, func(rank int) rand.Source {
						coins := 0
						if rank == 0 && k.HoldOut > 0 {
							coins = n + world
						}
						without := -1
						if world == 0 {
							without = at
						}
						return &secrets{noise(uint64(at), rank), noise(7, rank), coins, without}
					})
				}
				if len(blobs[0]) != len(blobs[1]) {
					t.Fatalf("%s: published %d times, and %d times without the row", name, len(blobs[1]), len(blobs[0]))
				}
				worst := 0.0
				for i, blob := range blobs[0] {
					before, lengths := sumsOf(t, of.kind, blob)
					after, _ := sumsOf(t, of.kind, blobs[1][i])
					if len(blob) != len(blobs[1][i]) {
						t.Fatalf("%s: %d bytes, and %d without the row", name, len(blobs[1][i]), len(blob))
					}
					sum := 0.0
					for j, v := range after {
						d := (v - before[j]) / (deviation * lengths[j])
						sum += d * d
					}
					worst = max(worst, sum)
				}
				if sum := worst * float64(of.sums); sum > 1.01*most { // noise and rows are rounded
					t.Errorf("%s: Σ (Δ/σ)² is %.3g, want at most %.3g", name, sum, most)
				} else {
					t.Logf("%s: Σ (Δ/σ)² %.3g of %.3g, published %d times", name, sum, most, len(blobs[0]))
				}
			}
		}
	}
}

// variance returns the variance of the noise in a slot, given the vectors of several runs that
// differ in the noise alone.
func variance(runs [][][]float64, slot int) float64 {
	sum, count := 0.0, 0.0
	for i := range runs {
		for j := range i {
			for at, v := range runs[i][slot] {
				d := v - runs[j][slot][at]
				sum, count = sum+d*d/2, count+1
			}
		}
	}
	return sum / count
}
