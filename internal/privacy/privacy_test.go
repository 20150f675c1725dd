package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// bruteEntropy returns −Σ g ln g, with g normalised first.
func bruteEntropy(l []float64) float64 {
	top, sum, h := math.Inf(-1), 0.0, 0.0
	for _, v := range l {
		top = math.Max(top, v)
	}
	for _, v := range l {
		sum += math.Exp(v - top)
	}
	for _, v := range l {
		if g := math.Exp(v-top) / sum; g > 0 {
			h -= g * math.Log(g)
		}
	}
	return h
}

func TestEntropyMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(-2000, 100), rapid.Just(math.Inf(-1)))
		l := rapid.SliceOfN(value, 1, 40).Draw(t, "l")
		cut := rapid.IntRange(0, len(l)).Draw(t, "cut")
		var a, b, whole Entropy
		a.Add(l[:cut])
		b.Add(l[cut:])
		a.Merge(b)
		whole.Add(l)
		want := bruteEntropy(l)
		if math.IsNaN(want) {
			want = 0 // no weight at all
		}
		if math.Abs(whole.Nats()-want) > 1e-9 || math.Abs(a.Nats()-want) > 1e-9 {
			t.Fatalf("entropy %g whole and %g in two pieces, want %g", whole.Nats(), a.Nats(), want)
		}
	})
}

func TestKnownEntropies(t *testing.T) {
	var uniform, half Entropy
	uniform.Add(make([]float64, 50))
	if got := uniform.Nats(); math.Abs(got-math.Log(50)) > 1e-12 || math.Abs(uniform.Total()-50) > 1e-12 {
		t.Errorf("uniform over 50: %g nats of %g, want ln 50 of 50", got, uniform.Total())
	}
	// One row with half of the weight among 1000 still looks like 63 rows.
	l := make([]float64, 1000)
	l[0] = math.Log(999)
	half.Add(l)
	if got := math.Exp(half.Nats()); math.Abs(got-63.2) > 0.1 {
		t.Errorf("half the weight on one of 1000 rows: exp(H) = %g, want 63.2", got)
	}
}

func TestMeasure(t *testing.T) {
	entropies := func(all ...[]float64) (out []Entropy) {
		for _, l := range all {
			var e Entropy
			e.Add(l)
			out = append(out, e)
		}
		return out
	}
	even, single := []float64{0, 0, 0, 0}, []float64{0, -900, -900, -900}
	ln4, none := math.Log(4), math.Log(0.1)
	for name, c := range map[string]struct {
		g, r []Entropy
		want Diversity
	}{
		"all even":                {entropies(even, even), entropies(even, even), Diversity{ln4, ln4, ln4}},
		"one leaks":               {entropies(even, single), entropies(even, single), Diversity{ln4, 0, 0}},
		"not live":                {entropies(even, single), entropies(even, []float64{none}), Diversity{ln4, ln4, ln4}},
		"the largest is live":     {entropies(single), entropies([]float64{none}), Diversity{0, 0, 0}},
		"the two readings differ": {entropies(even), entropies(single), Diversity{ln4, ln4, 0}},
	} {
		got := Measure(c.g, c.r)
		if math.Abs(got.Max-c.want.Max)+math.Abs(got.Min-c.want.Min)+math.Abs(got.MinResponsibility-c.want.MinResponsibility) > 1e-12 {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// The sum of responsibilities is the smallest of the measures of the number of rows behind a
// component, whatever the responsibilities are.
func TestNoCountOfRowsIsSmaller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1e-9, 1}))
		r := append(rapid.SliceOfN(value, 0, 30).Draw(t, "responsibilities"), rapid.Float64Range(1e-3, 1).Draw(t, "one"))
		n, squares, most, rows := 0.0, 0.0, 0.0, 0.0
		logs := make([]float64, len(r))
		for i, v := range r {
			n, squares, most, logs[i] = n+v, squares+v*v, math.Max(most, v), math.Log(v)
			if v > 0 {
				rows++
			}
		}
		var e Entropy
		e.Add(logs)
		counts := []float64{n, n / most, n * n / squares, math.Exp(e.Nats()), rows}
		for i := 1; i < len(counts); i++ {
			if counts[i-1] > counts[i]*(1+1e-12) {
				t.Errorf("count %d is %g, the one before it %g", i, counts[i], counts[i-1])
			}
		}
	})
}
