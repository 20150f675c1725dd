package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/consensus/graph"
)

// labels says which member sits at which vertex of the topology in one slot, and
// the other way round.
type labels struct{ member, vertex []int }

// labels deals the vertices anew for the slot: a public permutation that follows
// from the run, the slot and the nonce that nobody chose alone.
func (m *Machine) labels() labels {
	h := sha256.New()
	h.Write([]byte("collabdict/labels/1"))
	h.Write(m.p.Run[:])
	h.Write(m.nonce[:])
	h.Write(binary.BigEndian.AppendUint64(nil, m.slot))
	member := rand.New(rand.NewChaCha8([32]byte(h.Sum(nil)))).Perm(m.plan.Size)
	vertex := make([]int, len(member))
	for v, s := range member {
		vertex[s] = v
	}
	return labels{member: member, vertex: vertex}
}

// neighbours returns the members next to a member, by rank.
func (l labels) neighbours(g *graph.Graph, member int) []int {
	at := g.Neighbours(l.vertex[member])
	ranks := make([]int, len(at))
	for i, v := range at {
		ranks[i] = l.member[v]
	}
	slices.Sort(ranks)
	return ranks
}
