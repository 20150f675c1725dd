package consensus

import (
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// Lost frames of one lane are sent again, however far the other lanes are.
func TestALaneThatHasLostFramesCatchesUp(t *testing.T) {
	for _, scheme := range []Scheme{Exact, Laplacian, BaseK} {
		t.Run(string(scheme), func(t *testing.T) {
			n := newNetwork(t, 9, Settings{Scheme: scheme, Protect: chunking.Sessions})
			lost := map[[2]int]bool{}
			n.carries = func(from, to int, body Body) bool {
				b, frame := body.(*Step)
				loses := frame && b.Lane == 2 && b.Round == 1 && !lost[[2]int{from, to}]
				if loses {
					lost[[2]int{from, to}] = true
				}
				return !loses
			}
			n.play(sumOf(1, randomVectors(1, 9), testBlocks))
			d := n.checkDecisions()
			if len(lost) == 0 || len(d.Members) != 9 || d.Cost.Ballot > 0 || n.now > 10*time.Second {
				t.Errorf("%d frames were lost: decided after %s in ballot %d with members %v", len(lost), n.now, d.Cost.Ballot, d.Members)
			}
		})
	}
}
