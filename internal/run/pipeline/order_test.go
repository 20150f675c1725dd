package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Over all orders of some values, the correlation of neighbours has mean 0 and the variance that
// neighbourCorrelation returns. This holds for any values, in one stretch or in several.
func TestNeighbourCorrelationOverAllOrders(t *testing.T) {
	for _, values := range [][]float64{{1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 0, 0, 1, 1}, {1, 1, 2, 2, 2, 9, 9}} {
		for _, stretch := range []int{7, 3} {
			var sum, squares, variance float64
			orders := 0
			var permute func(x []float64, n int)
			permute = func(x []float64, n int) {
				if n == 1 {
					r, v := neighbourCorrelation(x, stretch)
					sum, squares, variance = sum+r, squares+r*r, v
					orders++
					return
				}
				for i := range n {
					permute(x, n-1)
					j := 0
					if n%2 == 0 {
						j = i
					}
					x[j], x[n-1] = x[n-1], x[j]
				}
			}
			permute(ranks(values), len(values))
			mean := sum / float64(orders)
			if got := squares/float64(orders) - mean*mean; math.Abs(mean) > 1e-9 || math.Abs(got-variance) > 1e-9 {
				t.Errorf("%v, stretches of %d: mean %g and variance %g over %d orders, want 0 and %g", values, stretch, mean, got, orders, variance)
			}
		}
	}
}

func TestRanks(t *testing.T) {
	nan := math.NaN()
	if got := fmt.Sprint(ranks([]float64{5, 1, nan, 5, 7, nan})); got != "[0 -1.5 0 0 1.5 0]" {
		t.Error(got)
	}
}

// columnsOf draws columns of several kinds. In most, values are independent; in "slow", each
// depends on the one before.
var columnsOf = map[string]func(rng *rand.Rand, before float64) float64{
	"normal":     func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() },
	"heavy tail": func(rng *rand.Rand, _ float64) float64 { return math.Tan(math.Pi * (rng.Float64() - 0.5)) },
	"rare":       func(rng *rand.Rand, _ float64) float64 { return float64(int(1.02 * rng.Float64())) },
	"coin":       func(rng *rand.Rand, _ float64) float64 { return float64(rng.IntN(2)) },
	"few values": func(rng *rand.Rand, _ float64) float64 { return math.Floor(3 * rng.Float64() * rng.Float64()) },
	"constant":   func(*rand.Rand, float64) float64 { return 1 },
	"slow":       func(rng *rand.Rand, before float64) float64 { return 0.9*before + rng.NormFloat64() },
}

func rowsOf(rng *rand.Rand, n int, kinds ...string) dataset.Participant {
	x, before := mat.NewDense(n, len(kinds), nil), make([]float64, len(kinds))
	p := dataset.Participant{}
	for j, k := range kinds {
		p.Columns = append(p.Columns, fmt.Sprint(k, " ", j+1))
	}
	for i := range n {
		for j, k := range kinds {
			before[j] = columnsOf[k](rng, before[j])
		}
		x.SetRow(i, before)
	}
	p.Train = rows.InMemory(x)
	return p
}

// The test finds a time order in shuffled rows for at most about one participant in a thousand.
func TestOrderKeepsItsLevel(t *testing.T) {
	testkit.SkipRaced(t)
	k := example(t, "hold-out=0.2")
	for _, kinds := range [][]string{
		{"normal"},
		{"heavy tail"},
		{"rare", "rare", "rare", "rare", "rare", "rare", "rare", "rare"},
		{"coin", "few values"},
		{"normal", "heavy tail", "rare", "coin", "few values", "constant"},
	} {
		for _, n := range []int{20, 50, 200, 2500} {
			trials := 100_000 / (n + 50)
			rng, found := rand.New(rand.NewPCG(uint64(n), 7)), 0
			for range trials {
				o, err := k.order(rowsOf(rng, n, kinds...))
				if err != nil {
					t.Fatal(err)
				}
				if o.Order == InTime {
					found++
				}
			}
			if limit := 1 + 4*math.Sqrt(float64(trials)*0.001) + float64(trials)*0.001; float64(found) > limit {
				t.Errorf("%v, %d rows: %d of %d in time order, want at most %.0f", kinds, n, found, trials, limit)
			}
		}
	}
}

func TestOrderIsFound(t *testing.T) {
	for _, n := range []int{20, 50, 200, 2500, 20_000} {
		rng, found := rand.New(rand.NewPCG(uint64(n), 9)), 0
		var why string
		for range 20 {
			o, err := example(t, "hold-out=0.2").order(rowsOf(rng, n, "rare", "slow", "normal", "constant"))
			if err != nil {
				t.Fatal(err)
			}
			if o.Order == InTime {
				found++
				why = o.Because
			}
		}
		if least := map[int]int{20: 4, 50: 19}[n]; found < max(least, 20*min(n-50, 1)) {
			t.Errorf("%d rows: %d of 20 are in time order", n, found)
		}
		if !strings.HasPrefix(why, "neighbouring values of slow 2 correlate by 0.") {
			t.Errorf("%d rows: %q", n, why)
		}
	}
}

func TestOrderIsExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for option, want := range map[string]string{
		"order=auto": "none: in no column are neighbouring values more alike than chance explains",
		"order=none": "none: set by --order",
		"order=time": "time: set by --order",
	} {
		o, err := example(t, "hold-out=0.2", option).order(rowsOf(rng, 100, "normal", "constant"))
		if got := o.Order + ": " + o.Because; err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", option, got, err, want)
		}
	}
}
