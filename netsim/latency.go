package netsim

import (
	"fmt"
	"math"
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

// LogNormal is a latency with a long tail: its logarithm is normal around that of Median, with
// the standard deviation Sigma. It is cut off at three deviations below.
type LogNormal struct {
	Median time.Duration
	Sigma  float64
}

// Delay implements [Latency].
func (l LogNormal) Delay(_, _ int, r *rand.Rand) time.Duration {
	return time.Duration(float64(l.Median) * math.Exp(l.Sigma*max(-3, r.NormFloat64())))
}

// Least implements [Latency].
func (l LogNormal) Least() time.Duration {
	return time.Duration(float64(l.Median) * math.Exp(-3*l.Sigma))
}

// Check implements [Latency].
func (l LogNormal) Check(int) error {
	if !(l.Sigma >= 0 && l.Sigma <= 3) {
		return fmt.Errorf("latency log-normal: want a sigma from 0 to 3, got %g", l.Sigma)
	}
	return checkPositive("log-normal", l.Median)
}
