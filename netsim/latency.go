package netsim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Latency says how long messages are under way.
type Latency interface {
	// Delay returns the time that one message takes between two members, drawn
	// from r if it varies.
	Delay(from, to int, r *rand.Rand) time.Duration
	// Least returns what no message goes below. The larger it is, the more
	// participants compute in parallel.
	Least() time.Duration
	// Check reports a setting that cannot be, for a number of members.
	Check(size int) error
}

// Constant is the time that every message takes.
type Constant time.Duration

// Delay implements [Latency].
func (c Constant) Delay(int, int, *rand.Rand) time.Duration { return time.Duration(c) }

// Least implements [Latency].
func (c Constant) Least() time.Duration { return time.Duration(c) }

// Check implements [Latency].
func (c Constant) Check(int) error { return positive("constant", time.Duration(c)) }

// Uniform is the mean time that a message takes; each takes between half and one
// and a half of it.
type Uniform time.Duration

// Delay implements [Latency].
func (u Uniform) Delay(_, _ int, r *rand.Rand) time.Duration {
	return time.Duration(float64(u) * (0.5 + r.Float64()))
}

// Least implements [Latency].
func (u Uniform) Least() time.Duration { return time.Duration(u) / 2 }

// Check implements [Latency].
func (u Uniform) Check(int) error { return positive("uniform", time.Duration(u)) }

func positive(what string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("latency %s: want a time above 0, got %s", what, d)
	}
	return nil
}
