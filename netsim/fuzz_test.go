package netsim

import (
	"math/rand/v2"
	"testing"
	"time"
)

// anything returns a consortium of few members, with faults drawn from a seed that let it reach
// its end.
func anything(seed uint64) Config {
	r := rand.New(rand.NewPCG(seed, 1))
	size := 4 + r.IntN(7)
	c := Config{
		Names: Names(size), Settings: exactly, Seed: seed, Compute: time.Duration(r.IntN(3)) * time.Second,
		Latency: []Latency{Uniform(time.Millisecond), Constant(50 * time.Millisecond), LogNormal{30 * time.Millisecond, 0.7}}[r.IntN(3)],
	}
	member := func() int { return r.IntN(size) }
	when := func() When {
		w := When{At: time.Duration(r.IntN(20000)) * time.Millisecond, For: time.Duration(1+r.IntN(60000)) * time.Millisecond}
		if r.IntN(2) == 0 {
			w.Round = uint32(1 + r.IntN(6))
		}
		return w
	}
	for range r.IntN(5) {
		c.Faults = append(c.Faults, []func() Fault{
			func() Fault { return Crash{Member: member(), When: when()} },
			func() Fault { return Churn{Rate: 0.2 * r.Float64(), When: when()} },
			func() Fault { return Late{Member: member(), When: when()} },
			func() Fault { return Slow{Member: member(), Factor: 30 * r.Float64(), When: when()} },
			func() Fault {
				return Clock{Member: member(), Rate: 0.5 + r.Float64(), Offset: time.Duration(r.IntN(1e5)) * time.Millisecond}
			},
			func() Fault {
				p := r.Perm(size)
				cut := 1 + r.IntN(size-1)
				return Partition{Sides: [][]int{p[:cut], p[cut:]}, OneWay: r.IntN(2) == 0, When: when()}
			},
			func() Fault {
				return Flap{Member: member(), Up: time.Duration(1+r.IntN(30)) * time.Second, Down: time.Duration(1+r.IntN(30)) * time.Second, When: when()}
			},
			func() Fault { return NAT{Members: []int{member()}, Idle: time.Minute} },
			func() Fault { return Loss{Rate: 0.3 * r.Float64(), When: when()} },
			func() Fault { return Duplicate{Rate: r.Float64(), When: when()} },
			func() Fault { return Reorder{Rate: r.Float64(), Delay: 2 * time.Second, When: when()} },
			func() Fault { return Bandwidth{Up: 2000 + 1e5*r.Float64(), Down: 2000 + 1e5*r.Float64(), When: when()} },
		}[r.IntN(12)]())
	}
	return c
}

// FuzzSim runs consortia under all kinds of faults: every sum is the sum over its members, and
// the same at every member. The seed is the test case.
func FuzzSim(f *testing.F) {
	for _, seed := range seeds(f, 40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		c := anything(seed)
		t.Logf("%d members: %#v", len(c.Names), c.Faults)
		simulate(t, c, 6)
	})
}
