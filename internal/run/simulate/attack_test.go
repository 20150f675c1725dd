package simulate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// An epsilonAttack guesses from all totals of a run whether the first member's file has a given
// row. It knows everything but the noise of the first two members: all other rows, the row itself,
// its own vectors, and so the exact vectors in both worlds. Its score is the likelihood ratio.
type epsilonAttack struct {
	task  func() *pipeline.Task
	parts []dataset.Participant // without the row
	with  dataset.Participant   // the first one, with the row
}

// run returns the score of one run, in which the first member has the row or not.
func (a *epsilonAttack) run(t *testing.T, seed uint64, has bool) (score float64) {
	watch, k := differencing.NewWatch(len(a.parts)), a.task()
	parts := slices.Clone(a.parts)
	if has {
		parts[0] = a.with
	}
	net, err := netsim.New(netsim.Config{Settings: k.Settings, Seed: seed, Names: []string{"a", "b", "c"}, Observer: watch})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		_, err := k.Fit(ctx, g, parts[rank], noise(seed, rank), nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slots := slices.DeleteFunc(watch.Slots(), func(s differencing.Slot) bool { return s.Vectors[0] == nil })
	const replays = 24
	without, deviations := a.exact(t, slots, a.parts[0], replays)
	with, _ := a.exact(t, slots, a.with, replays)
	second, _ := a.exact(t, slots, a.parts[1], replays)
	for i, s := range slots {
		square := 2 * deviations[i] // that of the noise of two members
		for j, v := range s.Total {
			step := with[i][j] - without[i][j]
			off := v - s.Vectors[2][j] - second[i][j] - without[i][j]
			score += (off*step - step*step/2) / square
		}
	}
	return score
}

// exact returns the vectors of a member in the slots without noise, as the mean of several replays
// of the run, and the variance of the noise in each. All replays of a number have the same noise.
func (a *epsilonAttack) exact(t *testing.T, slots []differencing.Slot, p dataset.Participant, replays int) (mean [][]float64, variances []float64) {
	var all [][][]float64
	for r := range replays {
		var answers, asked [][]float64
		for _, s := range slots {
			answers = append(answers, slices.Clone(s.Total))
		}
		told := func(ctx context.Context, _ int, f func(context.Context, collabdict.Group, int) error) error {
			return f(ctx, &grouptest.Ahead{Answers: answers, In: true}, 0)
		}
		if err := grouptest.Watch(told, &asked)(t.Context(), len(a.parts), func(ctx context.Context, g collabdict.Group, _ int) error {
			_, err := a.task().Fit(ctx, g, p, noise(1<<40+uint64(r), 0), nil)
			return err
		}); err != nil || len(asked) != len(slots) {
			t.Fatalf("%d of %d calls, %v", len(asked), len(slots), err)
		}
		all = append(all, asked)
	}
	for i := range slots {
		sum := make([]float64, len(all[0][i]))
		for _, run := range all {
			for j, v := range run[i] {
				sum[j] += v / float64(replays)
			}
		}
		mean, variances = append(mean, sum), append(variances, variance(all, i))
	}
	return mean, variances
}

// An attack on all that the first member has shown of a whole run distinguishes two files no better
// than epsilon and delta allow. The files differ by one row, ordinary or the worst. The advantage is
// at most 2Φ(μ/2) − 1, as for the Gaussian mechanism of the account. Against less noise, the attack
// does better.
func TestAttackOnEpsilon(t *testing.T) {
	testkit.FullOnly(t) // 19,200 runs take half an hour
	const epsilon, delta, runs = 1.0, 0.1, 400
	bound := math.Erf(privacy.GaussianRatio(epsilon, delta) / math.Sqrt(8))
	for kind, attack := range map[string]struct {
		options []string
		// less divides the noise for an attack that must succeed. It is 2 if all noisy sums are
		// shown. A member of fedgem shows no squares and no burn-in, and one of fedgen shows only
		// the last of ten iterations.
		less   float64
		totals bool
	}{
		"ggm":    {[]string{"rounds=10", "consensus.scheme=exact"}, 2, true},
		"dem":    {[]string{"rounds=10", "consensus.scheme=exact"}, 2, true},
		"fedgem": {[]string{"rounds=50"}, 3, false},
		"fedgen": {nil, 6, false},
	} {
		less := epsilon // an epsilon of the noise divided
		for privacy.GaussianRatio(less, delta) < attack.less*privacy.GaussianRatio(epsilon, delta) {
			less += 0.01
		}
		for name, c := range map[string]struct {
			epsilon float64
			row     []float64
		}{
			"ordinary":          {epsilon, []float64{0.3, 0.3}},
			"worst":             {epsilon, []float64{1e300, -1e300}},
			"worst, less noise": {less, []float64{1e300, -1e300}},
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				a := &epsilonAttack{}
				a.task = func() *pipeline.Task {
					k := pipelinetest.With(t, kind, append([]string{fmt.Sprint("epsilon=", c.epsilon), fmt.Sprint("delta=", delta), "hold-out=0", "components=1", "seed=1"}, attack.options...)...)
					k.Ranges = pipeline.Ranges{"*": {0, 1}}
					if err := k.Complete(); err != nil {
						t.Fatal(err)
					}
					return k.Resolved(2, 3)
				}
				a.parts = twoClusters(3, 40, 2)
				a.with = a.parts[0]
				a.with.Train = rows.InMemory(inserted(dense(a.parts[0].Train), 20, c.row))
				var shown [2][2][][]float64 // to choose a test and to judge it, without the row and with it
				for r := range 2 * runs {
					for world := range 2 {
						seed := uint64(1000 + 2*r + world)
						var x []float64
						if attack.totals {
							x = []float64{a.run(t, seed, world == 1)}
						} else {
							x = a.published(t, kind, seed, world == 1)
						}
						shown[r/runs][world] = append(shown[r/runs][world], x)
					}
				}
				got, least := audittest.Discriminated(shown[0], shown[1]).Advantage()
				t.Logf("advantage %.3f, with 99 %% confidence at least %.3f; bound %.3f", got, least, bound)
				if c.epsilon == epsilon && least > bound {
					t.Errorf("the advantage is at least %.3f, want at most %.3f", least, bound)
				}
				if c.epsilon != epsilon && least <= bound {
					t.Errorf("with less noise, the advantage is at least %.3f, want above %.3f", least, bound)
				}
			})
		}
	}
}

// published returns what the first member has published in a run, as means over all rounds: of its
// number of rows, and of sums over its rows.
func (a *epsilonAttack) published(t *testing.T, kind string, seed uint64, has bool) []float64 {
	parts, k := slices.Clone(a.parts), a.task()
	if has {
		parts[0] = a.with
	}
	blobs := publishing(t, k, parts, seed, func(rank int) rand.Source { return noise(seed, rank) })
	var mean []float64
	for _, blob := range blobs {
		x, _ := sumsOf(t, kind, blob)
		mean = append(mean, make([]float64, len(x)-min(len(x), len(mean)))...)
		for j, v := range x {
			mean[j] += v / float64(len(blobs))
		}
	}
	return mean
}

// publishing returns what the first member publishes in a run.
func publishing(t *testing.T, k *pipeline.Task, parts []dataset.Participant, seed uint64, secrets func(rank int) rand.Source) (blobs [][]byte) {
	net, err := netsim.New(netsim.Config{Settings: k.Settings, Seed: seed, Names: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		if rank == 0 {
			g = gathering{g, &blobs}
		}
		_, err := k.Fit(ctx, g, parts[rank], secrets(rank), nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return blobs
}

// gathering keeps what a member publishes.
type gathering struct {
	collabdict.Group
	blobs *[][]byte
}

func (g gathering) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	*g.blobs = append(*g.blobs, slices.Clone(blob))
	return g.Group.Gather(ctx, e, blob)
}

// sumsOf returns the noisy sums that follow from what a member with one component has published: the
// number of rows, the sums of columns, and for fedgen the sums of squares. A row changes each kind of
// sums by a vector of at most the given length.
func sumsOf(t *testing.T, kind string, blob []byte) (sums, lengths []float64) {
	t.Helper()
	const dim, half = 2, 0.5
	if kind == "fedgem" {
		if len(blob) != 8+8*(3+dim) {
			t.Fatalf("got %d bytes, want one cluster", len(blob))
		}
		value := func(i int) float64 { return math.Float64frombits(binary.BigEndian.Uint64(blob[8+8*i:])) }
		sums, lengths = []float64{value(0)}, []float64{1}
		for j := range dim {
			sums, lengths = append(sums, value(0)*(value(3+j)-half)), append(lengths, half*math.Sqrt(dim))
		}
		return sums, lengths
	}
	c, err := fedgen.Decode(blob, gmm.Diag, dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(c.Rows)
	sums, lengths = []float64{n}, []float64{1}
	for _, mean := range c.Means[0] {
		sums, lengths = append(sums, n*(mean-half)), append(lengths, half*math.Sqrt(dim))
	}
	for j, v := range c.Covariances[0] {
		m := c.Means[0][j] - half
		sums, lengths = append(sums, n*(v+m*m)), append(lengths, half*half*math.Sqrt(dim))
	}
	return sums, lengths
}

// twoClusters returns rows of some members from 0 to 1.
func twoClusters(members, n, dim int) (parts []dataset.Participant) {
	random := rand.New(rand.NewPCG(4, 2))
	for m := range members {
		x := make([]float64, 0, n*dim)
		for i := range n * dim {
			x = append(x, 0.3+0.4*float64(i/dim%2)+0.05*random.NormFloat64())
		}
		p := dataset.Participant{Name: string(rune('a' + m)), Train: rows.InMemory(mat.NewDense(n, dim, x))}
		for j := range dim {
			p.Columns = append(p.Columns, string(rune('x'+j)))
		}
		parts = append(parts, p)
	}
	return parts
}
