package netsim

import (
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// On a network without losses no sum of a large roster waits for a heartbeat: early messages
// are kept, and nobody is sent the result of a session that makes progress.
func TestLargeRostersDoNotStall(t *testing.T) {
	for seed := range testkit.LongOr[uint64](3, 1) {
		report, _ := simulate(t, Config{Names: Names(150), Settings: exactly, Seed: seed}, 12)
		t.Logf("%d sums in %s", len(report.Members[0].Decisions), report.Virtual)
		if report.Virtual > tickEvery {
			t.Errorf("seed %d: 12 sums took %s, want less than %s", seed, report.Virtual, tickEvery)
		}
		// Some members' local updates take longer than those of the rest.
		c := Config{Names: Names(100), Settings: exactly, Seed: seed, Compute: 200 * time.Millisecond}
		for m := range 30 {
			c.Faults = append(c.Faults, Slow{Member: 3 * m, Factor: 1 + float64(m)/60})
		}
		if report, _ = simulate(t, c, 5); report.Virtual > 5*(300+100)*time.Millisecond {
			t.Errorf("seed %d: 5 sums took %s", seed, report.Virtual)
		}
	}
}
