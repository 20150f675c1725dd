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

// Zones is a latency that depends on the zones of two members. OneWay[i][j] is the mean time
// from zone i to zone j, and Zone is the zone of each member. The time of a message varies by
// up to Jitter times the mean.
type Zones struct {
	Zone   []int
	OneWay [][]time.Duration
	Jitter float64 // from 0 to 1
}

// Delay implements [Latency].
func (z Zones) Delay(from, to int, r *rand.Rand) time.Duration {
	mean := float64(z.OneWay[z.Zone[from]][z.Zone[to]])
	return time.Duration(mean * (1 + z.Jitter*(2*r.Float64()-1)))
}

// Least implements [Latency].
func (z Zones) Least() time.Duration {
	least := z.OneWay[0][0]
	for _, row := range z.OneWay {
		for _, d := range row {
			least = min(least, d)
		}
	}
	return time.Duration(float64(least) * (1 - z.Jitter))
}

// Check implements [Latency].
func (z Zones) Check(size int) error {
	if len(z.Zone) != size {
		return fmt.Errorf("latency zones: want a zone for each of %d members, got %d", size, len(z.Zone))
	}
	if !(z.Jitter >= 0 && z.Jitter < 1) {
		return fmt.Errorf("latency zones: want a jitter from 0 to below 1, got %g", z.Jitter)
	}
	for i, row := range z.OneWay {
		if len(row) != len(z.OneWay) {
			return fmt.Errorf("latency zones: want %d times in row %d, got %d", len(z.OneWay), i+1, len(row))
		}
		for _, d := range row {
			if err := checkPositive("zones", d); err != nil {
				return err
			}
		}
	}
	for m, zone := range z.Zone {
		if zone < 0 || zone >= len(z.OneWay) {
			return fmt.Errorf("latency zones: member %d: want a zone from 1 to %d, got %d", m+1, len(z.OneWay), zone+1)
		}
	}
	return nil
}
