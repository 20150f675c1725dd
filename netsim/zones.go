package netsim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

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
