package node

import (
	"testing"
	"time"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A member that cannot dial the others is dialled by them, even if all their earlier dials have
// failed.
func TestAMemberComesLate(t *testing.T) {
	simulate(t, 20*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		list(t, configs)
		first := configs[0]
		first.JoinTimeout = 0
		first.Members[1].Addrs = configs[1].Listen
		last := configs[1]
		last.Members = list(t, configs) // it has no addresses
		join(t, first)
		pass(20 * time.Minute)
		met := make(chan Status, 100)
		last.OnStatus = func(s Status) { met <- s }
		came := time.Now()
		join(t, last)
		for len(nodetest.Receive(t, met).Present) < 2 {
		}
		if took := time.Since(came); took > 20*time.Second {
			t.Errorf("it is met after %v, want soon", took)
		}
	})
}
