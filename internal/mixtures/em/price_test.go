package em

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/testkit"
)

// cost returns the cost of the best weights if only components of a set may be above ε and all
// of them have their price. It finds the multiplier of the sum by bisection.
func (p price) cost(c []float64, set int) float64 {
	weight := func(k int, l float64) float64 {
		if set>>k&1 == 0 {
			return math.Min(p.least, c[k]/l)
		}
		return c[k] / l
	}
	low, high := 0.0, 2*floats.Sum(c)
	for range 200 {
		l, sum := (low+high)/2, 0.0
		for k := range c {
			sum += weight(k, l)
		}
		if sum > 1 {
			low = l
		} else {
			high = l
		}
	}
	cost := 0.0
	for k, v := range c {
		if v > 0 {
			cost -= v * math.Log(weight(k, high))
		}
		if set>>k&1 == 1 {
			cost += p.nats
		}
	}
	return cost
}

func TestSparseWeightsAreTheBestOfAllSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 6).Draw(t, "components")
		value := rapid.OneOf(rapid.Float64Range(0, 3), rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 0.1, 5}))
		c := rapid.SliceOfN(value, k, k).Draw(t, "rows")
		if floats.Sum(c) == 0 {
			c[0] = 1
		}
		s := price{nats: rapid.Float64Range(0, 30).Draw(t, "price"), least: rapid.Float64Range(1e-6, 0.9/float64(k)).Draw(t, "least")}
		lowest := math.Inf(1)
		for set := 1; set < 1<<k; set++ {
			lowest = math.Min(lowest, s.cost(c, set))
		}
		w, active := s.weights(c)
		testkit.Near(t, "sum of the weights", floats.Sum(w), 1, 1e-12)
		cost, above := s.nats*float64(active), 0
		for i, v := range w {
			if c[i] > 0 {
				cost -= c[i] * math.Log(v)
			}
			if v > s.least {
				above++
			}
		}
		if above != active {
			t.Fatalf("%d weights are above ε, got %d", above, active)
		}
		testkit.Near(t, "cost", cost, lowest, 1e-12*(1+math.Abs(lowest)))
	})
}

func TestSparseWeightsWorkedExample(t *testing.T) {
	c := []float64{50, 30, 12, 5, 2, 0.7, 0.3}
	for nats, want := range map[float64]int{1: 5, 5: 4, 10: 4, 20: 3, 40: 3} {
		if _, active := (price{nats: nats, least: 1e-3}).weights(c); active != want {
			t.Errorf("price %g: %d components, want %d", nats, active, want)
		}
	}
}

// The objective never falls, even with a price, and the written model has weights of 0.
func TestSparseWeightsInTraining(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data, config := awkward(rt)
		config.Sparse = rapid.Float64Range(0.01, 1).Draw(rt, "sparse")
		learners, trace := train(t, config, 6, data...)
		for i := 1; i < len(trace); i++ {
			if trace[i] < trace[i-1]-1e-7*(1+math.Abs(trace[i-1])) {
				rt.Fatalf("objective falls from %.12g to %.12g in round %d", trace[i-1], trace[i], i+1)
			}
		}
		for _, l := range learners {
			m, err := l.Written()
			if err != nil {
				rt.Fatal(err)
			}
			for k, w := range m.Weights() {
				if w > 0 && w <= l.price(config.Components).least {
					rt.Fatalf("component %d has weight %g, want 0", k, w)
				}
			}
			testkit.Near(rt, "sum of the weights", floats.Sum(m.Weights()), 1, 1e-12)
		}
	})
}

// Each participant has the components of its own rows, and no other; K limits their number.
func TestSparseWeightsAreOwn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	part := func(centres ...float64) *mat.Dense {
		x := mat.NewDense(200, 2, nil)
		for j := range 200 {
			for i := range 2 {
				x.Set(j, i, centres[j%2]+rng.NormFloat64())
			}
		}
		return x
	}
	data := []*mat.Dense{part(-8, 0), part(0, 8)}
	for share, most := range map[float64]int{0: 6, 1: 3} {
		learners, _ := train(t, Config{Components: 6, Lambda: 0.1, Seed: 1, Sparse: share}, 60, data...)
		for s, l := range learners {
			has := 0
			for _, w := range l.Model().Weights() {
				if w > l.price(6).least {
					has++
				}
			}
			if has > most || share == 0 && has < most {
				t.Errorf("sparse %g: participant %d has %d components, want %d", share, s+1, has, most)
			}
			m, err := l.Written()
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range m.LogDensities(nil, data[s]) {
				if math.IsInf(v, 0) || math.IsNaN(v) {
					t.Fatalf("own row %d has log density %g", j+1, v)
				}
			}
		}
	}
}
