package consensus

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/testkit"
)

var testBlocks = []collabdict.Block{{Len: 4, Bound: 1000}, {Len: 1, Bound: 0.001}, {Len: 3, Bound: 7}}

func TestSumIsRightAndTheSameEverywhere(t *testing.T) {
	sizes := testkit.LongOr([]int{2, 3, 4, 5, 7, 16, 31}, []int{2, 3, 4, 7, 16})
	for name, c := range map[string]struct {
		settings Settings
		relative float64
	}{
		"chebyshev":       {settings(session.Chebyshev, chunking.Chunks), 1e-6},
		"optimal":         {settings(session.Optimal, chunking.Chunks), 1e-6},
		"metropolis":      {settings(session.Metropolis, chunking.Chunks), 1e-6},
		"full":            {Settings{Protect: chunking.Chunks, Full: true}, 1e-6},
		"sessions":        {Settings{Protect: chunking.Sessions}, 1e-6},
		"none":            {Settings{Protect: chunking.None}, 1e-6},
		"exact":           {Settings{Scheme: Exact, Protect: chunking.Chunks}, 1e-14},
		"exact fan 3":     {Settings{Scheme: Exact, Fan: 3, Protect: chunking.Chunks}, 1e-14},
		"exact parity":    {Settings{Scheme: Exact, Parity: true, Protect: chunking.Chunks}, 1e-14},
		"exact sessions":  {Settings{Scheme: Exact, Protect: chunking.Sessions, Chunks: 3}, 1e-14},
		"exact full":      {Settings{Scheme: Exact, Protect: chunking.Chunks, Full: true}, 1e-14},
		"exact none":      {Settings{Scheme: Exact, Protect: chunking.None}, 1e-14},
		"base-k":          {Settings{Scheme: BaseK, Protect: chunking.Chunks}, 1e-14},
		"base-k shamir":   {Settings{Scheme: BaseK, Protect: chunking.Shamir}, 1e-14},
		"base-k sessions": {Settings{Scheme: BaseK, Protect: chunking.Sessions}, 1e-14},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range sizes {
				if size == 2 && c.settings.Protect != chunking.None {
					continue
				}
				rng := rand.New(rand.NewPCG(uint64(size), 1))
				n := newNetwork(t, size, c.settings)
				for round := range uint32(2) { // the second slot has other labels and masks
					xs := vectors(rng, size, testBlocks)
					n.play(sumOf(round, xs, testBlocks))
					d := n.checkDecisions()
					if len(d.Members) != size {
						t.Fatalf("%d members: %s", size, n.missingOf(d))
					}
					checkTotal(t, d, xs, testBlocks, c.relative*float64(size))
				}
				if n.now > 0 {
					t.Errorf("%d members: took %s without a loss", size, n.now)
				}
			}
		})
	}
}

func TestGatherIsOrderedByMember(t *testing.T) {
	n := newNetwork(t, 5, settings(session.Chebyshev, chunking.Chunks))
	blobs := [][]byte{[]byte("a"), nil, []byte("ccc"), {0}, []byte("e")}
	n.play(gatherOf(blobs))
	for i, b := range n.checkDecisions().Blobs {
		if b == nil || string(b) != string(blobs[i]) {
			t.Errorf("got %q of member %d, want %q", b, i, blobs[i])
		}
	}
}

var _ = fmt.Sprint
