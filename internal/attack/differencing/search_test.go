package differencing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// noise returns n coordinates over 24 worlds that have nothing to do with anything.
func noise(n int, random *rand.Rand) (all []coordinate) {
	for i := range n {
		c := coordinate{slots: []int{i}, words: fmt.Sprint(i), values: make([]float64, 24)}
		size := math.Exp(3 * random.NormFloat64())
		for j := range c.values {
			c.values[j] = size * (3 + random.NormFloat64())
		}
		all = append(all, c)
	}
	return all
}

func TestFind(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q, others, total []float64
	for range 24 {
		q, others = append(q, 80+5*random.NormFloat64()), append(others, 240+9*random.NormFloat64())
		total = append(total, q[len(q)-1]+others[len(others)-1])
	}
	for name, c := range map[string]struct {
		plant func(all []coordinate)
		want  string
	}{
		"nothing":             {func([]coordinate) {}, ""},
		"the total":           {func(all []coordinate) { copy(all[7].values, total) }, ""},
		"the quantity":        {func(all []coordinate) { copy(all[7].values, q) }, "[7]"},
		"in another unit":     {func(all []coordinate) { set(all[7], func(j int) float64 { return 3 - 1e-3*q[j] }) }, "[7]"},
		"with some noise":     {func(all []coordinate) { set(all[7], func(j int) float64 { return q[j] + 0.5*random.NormFloat64() }) }, "[7]"},
		"the others":          {func(all []coordinate) { copy(all[7].values, others) }, ""},
		"the others and all":  {func(all []coordinate) { copy(all[7].values, others); copy(all[9].values, total) }, "[7 9]"},
		"a difference":        {func(all []coordinate) { set(all[7], func(j int) float64 { return q[j] + all[9].values[j] }) }, "[7 9]"},
		"a sum":               {func(all []coordinate) { set(all[7], func(j int) float64 { return q[j] - all[9].values[j] }) }, "[7 9]"},
		"with a weight":       {func(all []coordinate) { set(all[7], func(j int) float64 { return q[j] - 0.1234*all[9].values[j] }) }, "[7 9]"},
		"an exact difference": {func(all []coordinate) { set(all[7], func(j int) float64 { return 1e-6*q[j] + all[9].values[j] }) }, "[7 9]"},
	} {
		all := noise(1000, random)
		set(all[9], func(int) float64 { return 100 * random.NormFloat64() })
		c.plant(all)
		r := newSpace(all).read(q, others, false, Enough, enoughOfTwo)
		got := ""
		if r != nil {
			got = fmt.Sprint(r.slots())
		}
		if got != c.want {
			t.Errorf("%s: found %s, want %q", name, got, c.want)
		}
	}
}

func set(c coordinate, of func(j int) float64) {
	for j := range c.values {
		c.values[j] = of(j)
	}
}

// The fast search finds the same reading as one that tries all pairs.
func TestFindIsThorough(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		s := newSpace(noise(60, random))
		q := make([]float64, 24)
		for j := range q {
			q[j] = random.NormFloat64()
		}
		unit := centred(q)
		scale(unit, 1/norm(unit))
		best := 0.0
		for i, a := range s.vectors {
			for _, b := range s.vectors[:i] {
				_, r := fit(a.about, b.about, unit)
				best = math.Max(best, math.Abs(r))
			}
		}
		// A sum or difference of scaled coordinates is close to the best one.
		r := s.find(q, 0.999, 0.1)
		if r == nil || r.b == nil || math.Abs(r.r) > best+1e-9 || math.Abs(r.r) < 0.95*best {
			t.Errorf("found %+v, the best pair has %g", r, best)
		}
	}
}
