package consensus

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// If every member is needed, a link without point-to-point messages holds up the slot only
// until it works again.
func TestASlotContinuesWhenALinkIsMended(t *testing.T) {
	n := newNetwork(t, 3, settings(session.Chebyshev, chunking.Chunks))
	broken := true
	n.carries = func(from, to int, body Body) bool {
		switch body.(type) {
		case *Seeds, *Step, *Seal, *Blob:
			return !broken || from == 0 || to == 0
		}
		return true
	}
	xs := vectors(rand.New(rand.NewPCG(3, 3)), 3, testBlocks)
	for s := range xs {
		n.call(s, sumOf(1, xs, testBlocks)(s))
	}
	n.settle()
	n.pass(5*time.Minute, n.over(1))
	if len(n.members[0].log) > 0 {
		t.Fatal("the slot was decided over a link that carries nothing")
	}
	broken = false
	n.pass(2*time.Minute, n.over(1))
	d := n.checkDecisions()
	if d == nil {
		t.Fatal(n.describe())
	}
	checkTotal(t, d, xs, testBlocks, 1e-6)
}
