package netsim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A Latency determines how long messages take.
type Latency interface {
	// Delay returns the time of one message between two members, drawn from r if it varies.
	Delay(from, to int, r *rand.Rand) time.Duration
	// Least returns a lower bound of all delays. The larger it is, the more participants
	// compute in parallel.
	Least() time.Duration
	// Check returns an error if the settings are invalid for the number of members.
	Check(size int) error
}

// Constant is a latency that is the same for every message.
type Constant time.Duration

// Delay implements [Latency].
func (c Constant) Delay(int, int, *rand.Rand) time.Duration { return time.Duration(c) }

// Least implements [Latency].
func (c Constant) Least() time.Duration { return time.Duration(c) }

// Check implements [Latency].
func (c Constant) Check(int) error { return checkPositive("constant", time.Duration(c)) }

// Uniform is a mean latency. Each message takes between a half and one and a half of it.
type Uniform time.Duration

// Delay implements [Latency].
func (u Uniform) Delay(_, _ int, r *rand.Rand) time.Duration {
	return time.Duration(float64(u) * (0.5 + r.Float64()))
}

// Least implements [Latency].
func (u Uniform) Least() time.Duration { return time.Duration(u) / 2 }

// Check implements [Latency].
func (u Uniform) Check(int) error { return checkPositive("uniform", time.Duration(u)) }

func checkPositive(what string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("latency %s: want a time above 0, got %s", what, d)
	}
	return nil
}
