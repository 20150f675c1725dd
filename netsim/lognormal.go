package netsim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

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
