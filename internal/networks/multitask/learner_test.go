package multitask

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"github.com/collabdict/collabdict/vae"
)

func seed(n uint64) rand.Source { return rand.NewPCG(n, n) }

func started(t testing.TB, config Config, rows Rows) *Learner {
	t.Helper()
	l, err := NewLearner(rows, config, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	return l
}

// For any rows, the summed values stay within their bounds, and all members hold the same
// decoder.
func TestSummedValuesKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(rt, "columns")
		value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, 1, 1e3, -1e6}))
		var data []Rows
		for range rapid.IntRange(1, 3).Draw(rt, "participants") {
			n := rapid.IntRange(1, 20).Draw(rt, "rows")
			data = append(data, matrix{mat.NewDense(n, columns, rapid.SliceOfN(value, n*columns, n*columns).Draw(rt, "values"))})
		}
		config := Config{
			Latent:     rapid.IntRange(1, 3).Draw(rt, "latent"),
			Hidden:     rapid.SampledFrom([][]int{nil, {3}, {4, 2}}).Draw(rt, "hidden"),
			LocalSteps: rapid.IntRange(0, 3).Draw(rt, "local steps"),
			Batch:      rapid.IntRange(0, 8).Draw(rt, "batch"),
			Rate:       rapid.SampledFrom([]float64{0, 0.1}).Draw(rt, "rate"),
		}
		train(t, config, 4, data...)
	})
}

// Steps of Adam stay within the bound of local steps, whatever the gradients.
func TestAdamKeepsItsBound(t *testing.T) {
	for name, gradient := range map[string]func(step int) float64{
		"even":    func(int) float64 { return 1 },
		"growing": func(step int) float64 { return math.Pow(1.11, float64(step)) },
		"rare": func(step int) float64 {
			if step%900 == 899 {
				return 1
			}
			return 0
		},
	} {
		adam, w, last := vae.NewAdam(1, 1), []float32{0}, float32(0)
		for step := range 700 {
			adam.Step(w, []float32{float32(gradient(step + 200))})
			if moved := math.Abs(float64(w[0] - last)); moved > adamStep {
				t.Fatalf("%s: step %d of %g rates", name, step+1, moved)
			}
			last = w[0]
		}
	}
}

// A gradient above the agreed clip is scaled down as a whole.
func TestClippingScalesTheGradientAsAWhole(t *testing.T) {
	x := patterns(64, 4, 0)
	config := Config{Latent: 2, Hidden: []int{8}}
	summand, err := started(t, config, x).LocalUpdate()
	if err != nil {
		t.Fatal(err)
	}
	whole := summand.Values
	l := started(t, config, x)
	l.limits.clip = 0.05
	if summand, err = l.LocalUpdate(); err != nil {
		t.Fatal(err)
	}
	scaled, blocks := summand.Values, summand.Blocks
	if err := collabdict.CheckBlocks(scaled, blocks); err != nil {
		t.Error(err)
	}
	weights := len(scaled) - 2
	most := 0.0
	for i := range scaled[:weights] {
		most = math.Max(most, math.Abs(scaled[i]))
		if math.Abs(scaled[i]-whole[i]*l.Scaled()) > 1e-9*math.Abs(whole[i]) {
			t.Errorf("weight %d: %g of %g, want all times %g", i, scaled[i], whole[i], l.Scaled())
		}
	}
	if want := 64 * 0.05; math.Abs(most-want) > 1e-9 || !(l.Scaled() < 1) {
		t.Errorf("largest value %g times %g, want %g", most, l.Scaled(), want)
	}
	if !slices.Equal(scaled[weights:], whole[weights:]) {
		t.Errorf("lower bound and rows %g, want %g", scaled[weights:], whole[weights:])
	}
}

// The clip follows the shared mean: upwards at once, downwards slowly, never to 0.
func TestClipFollowsTheMean(t *testing.T) {
	l := limits{rows: 8, clip: firstClip}
	g := make([]float32, 2)
	for i, c := range []struct{ total, clip float64 }{
		{5, 16 * 0.5}, {80, 16 * 8}, {0, 16 * 8 * 0.98}, {-100, 16 * 10}, {1e-9, 16 * 10 * 0.98},
	} {
		l.mean(g, []float64{0, c.total}, 10)
		if math.Abs(l.clip-c.clip) > 1e-9 {
			t.Errorf("round %d: clip %g, want %g", i+1, l.clip, c.clip)
		}
	}
	for range 2000 {
		l.mean(g, []float64{0, 0}, 10)
	}
	if l.clip != leastClip {
		t.Errorf("clip %g without any gradient, want %g", l.clip, float64(leastClip))
	}
}

// A sum that failed, or does not include this participant, leaves the encoder as it was; its
// next part follows from the round alone.
func TestOnlySumsWithThisParticipantChangeItsEncoder(t *testing.T) {
	for _, steps := range []int{0, 4} {
		config := Config{Latent: 2, Hidden: []int{8}, LocalSteps: steps, Aggressive: 5}
		l := started(t, config, patterns(100, 4, 0))
		before := slices.Clone(l.Model().Encoder.Shared.Values)
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		first := summand.Values
		second, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		again := second.Values
		if !slices.Equal(first, again) {
			t.Errorf("%d local steps: another vector for the same round", steps)
		}
		if _, err := l.Optimize(first, false); err != nil {
			t.Fatal(err)
		}
		if !bits(before, l.Model().Encoder.Shared.Values) {
			t.Errorf("%d local steps: the encoder changed by a sum without this participant", steps)
		}
		missed := started(t, config, patterns(100, 4, 0))
		if _, err := missed.Optimize(first, false); err != nil { // without LocalUpdate
			t.Fatal(err)
		}
		sameDecoder(t, l, missed)
		if _, err := l.LocalUpdate(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Optimize(first, true); err != nil {
			t.Fatal(err)
		}
		if bits(before, l.Model().Encoder.Shared.Values) {
			t.Errorf("%d local steps: the encoder did not change", steps)
		}
	}
}

// With one member, local steps are ordinary training, E steps per round.
func TestLocalStepsOfOneMember(t *testing.T) {
	x := patterns(40, 4, 0) // one batch
	rounds := func(steps, rounds int) *Learner {
		learners, _ := train(t, Config{Latent: 2, Hidden: []int{8}, LocalSteps: steps}, rounds, x)
		return learners[0]
	}
	local, shared := rounds(1, 1), rounds(0, 1)
	if off := furthest(local.shared, shared.shared); off > 1e-6 {
		t.Errorf("one local step: a weight is %g off one shared step", off)
	}
	_, few := train(t, Config{Latent: 2, Hidden: []int{8}, LocalSteps: 20, Rate: 0.005}, 30, x, patterns(300, 4, 1))
	if first, last := few[0], few[len(few)-1]; last < first+1 {
		t.Errorf("30 rounds of 20 local steps: the lower bound goes from %.3f to %.3f", first, last)
	}
}

// Results have the same bits whatever GOMAXPROCS is.
func TestBitsDoNotDependOnProcessors(t *testing.T) {
	run := func(procs int) (*Learner, []float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		learners, _ := train(t, Config{Latent: 4, Hidden: []int{200}, Batch: 512, Aggressive: 4}, 3, patterns(600, 60, 0), patterns(700, 60, 1))
		anomaly, _, _ := scored(t, learners[1].Model(), 20, patterns(100, 60, 2))
		return learners[1], anomaly
	}
	one, scores := run(1)
	four, again := run(4)
	sameDecoder(t, one, four)
	if !bits(one.model.Encoder.Shared.Values, four.model.Encoder.Shared.Values) || !slices.Equal(scores, again) {
		t.Error("other encoders or scores with another GOMAXPROCS")
	}
}

// Totals that members cannot have produced are refused and change nothing.
func TestImpossibleTotalsAreRefused(t *testing.T) {
	for _, steps := range []int{0, 3} {
		l := started(t, Config{Latent: 2, Hidden: []int{4}, LocalSteps: steps}, patterns(30, 3, 0))
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		good := summand.Values
		weights := len(good) - 2
		decoder := slices.Clone(l.shared)
		for want, change := range map[string]func(x []float64) []float64{
			"want a total of":                func(x []float64) []float64 { return x[1:] },
			"at least 1 row":                 func(x []float64) []float64 { x[weights+1] = 0.2; return x },
			"at least 1 row, got NaN":        func(x []float64) []float64 { x[weights+1] = math.NaN(); return x },
			"value 1 of the total":           func(x []float64) []float64 { x[0] = 1.01 * 30 * l.limits.weight(); return x },
			"value 2 of the total: want":     func(x []float64) []float64 { x[1] = math.NaN(); return x },
			"from 30 rows, got -1":           func(x []float64) []float64 { x[weights] = -1e6; return x },
			"a member exceeded the agreed b": func(x []float64) []float64 { x[0] = math.Inf(-1); return x },
		} {
			if _, err := l.Optimize(change(slices.Clone(good)), true); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d local steps: got error %v, want %q", steps, err, want)
			}
		}
		if !bits(decoder, l.shared) || l.round != 0 {
			t.Error("a refused total has changed the decoder")
		}
	}
}
