package node

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
)

// membership is who is of a run. It is not modified: an amendment of the roster
// makes another one.
type membership struct {
	members    []Member          // by rank: all who are or were of the roster, or are known to come
	removed    map[int]bool      // ranks
	ranks      map[peer.ID]int   // of those that are spoken with: who was removed is for a while
	public     []crypto.PubKey   // by rank
	lanes      []*lane           // by rank; nil for this member and those removed before this process
	amendments [][]byte          // that were decided
	params     *consensus.Params // as they follow from the amendments
}

// roll holds the membership as it is now.
type roll struct{ atomic.Pointer[membership] }

// toCome bounds the ranks that amendments may have given which this member does not
// know of yet: messages may name them.
const toCome = wire.ToCome

// has says whether a peer is a member.
func (r *roll) has(id peer.ID) bool {
	_, in := r.Load().ranks[id]
	return in
}

// name returns what a member is called.
func (r *roll) name(rank int) string { return r.Load().members[rank].Name }

// lane returns what is sent to a member through, nil if nothing is.
func (r *roll) lane(rank int) *lane {
	if lanes := r.Load().lanes; rank < len(lanes) {
		return lanes[rank]
	}
	return nil
}

// most bounds the ranks that a message may name.
func (r *roll) most() int { return len(r.Load().members) + toCome }

// active returns the members of the roster, and those known to come.
func (m *membership) active() []Member {
	var list []Member
	for rank, o := range m.members {
		if !m.removed[rank] {
			list = append(list, o)
		}
	}
	return list
}

// spokenWith returns the members that are spoken with.
func (m *membership) spokenWith() []Member {
	var list []Member
	for _, rank := range m.ranks {
		list = append(list, m.members[rank])
	}
	return list
}

// stored returns the members as a journal has them.
func (m *membership) stored() []store.Member {
	var list []store.Member
	for _, o := range m.members {
		list = append(list, store.Member{Name: o.Name, ID: []byte(o.ID), Addrs: o.Addrs})
	}
	return list
}

// newMembership returns the members of a run as its journal has them, with the
// amendments of its log.
func newMembership(j *store.Journal, p consensus.Params) (*membership, error) {
	m := &membership{params: &p, removed: map[int]bool{}, ranks: map[peer.ID]int{}}
	for rank, o := range j.Members {
		member := Member{Name: o.Name, ID: peer.ID(o.ID), Addrs: o.Addrs}
		if rank < j.Founders {
			p.Members = append(p.Members, o.Name)
		}
		if err := m.add(member); err != nil {
			return nil, err
		}
	}
	p.Joins = p.Self >= len(p.Members)
	err := j.Each(func(d *consensus.Decision) error {
		if d.Kind != consensus.Amend {
			return nil
		}
		a, err := d.Amendment()
		if err != nil {
			return err
		}
		return m.amend(a)
	})
	m.dismiss()
	if err != nil {
		return nil, err
	}
	return m, j.Extend(m.stored()) // an earlier process may have ended before it did
}

// dismiss ends what is spoken with those who were removed.
func (m *membership) dismiss() {
	for rank := range m.removed {
		if id := m.members[rank].ID; m.ranks[id] == rank {
			delete(m.ranks, id)
		}
	}
}

// add gives a member the next rank.
func (m *membership) add(o Member) error {
	key, err := o.ID.ExtractPublicKey()
	if err != nil {
		return fmt.Errorf("members: %s: peer ID %s: want one with an Ed25519 key: %w", o.Name, o.ID, err)
	}
	m.ranks[o.ID] = len(m.members)
	m.members, m.public = append(m.members, o), append(m.public, key)
	return nil
}

// amend applies an amendment that was decided.
func (m *membership) amend(a *consensus.Amendment) error {
	first := len(m.params.Members)
	p, err := m.params.Amend(a)
	if err != nil {
		return err
	}
	p.Joins = p.Self >= len(p.Members)
	m.params = &p
	m.amendments = append(m.amendments, a.Encode())
	for i, s := range a.Added {
		if rank := first + i; rank < len(m.members) { // known to come
			if m.members[rank].ID != peer.ID(s.ID) {
				return fmt.Errorf("the members have decided that %s comes as number %d, this node was told %s", s.Name, rank+1, m.members[rank].Name)
			}
			continue
		}
		if err := m.add(Member{Name: s.Name, ID: peer.ID(s.ID), Addrs: s.Addrs}); err != nil {
			return err
		}
	}
	for _, r := range a.Removed {
		m.removed[int(r)] = true
	}
	return nil
}

// clone returns a copy that may be modified.
func (m *membership) clone() *membership {
	return &membership{
		members: slices.Clone(m.members), public: slices.Clone(m.public), lanes: slices.Clone(m.lanes),
		amendments: slices.Clone(m.amendments), params: m.params, removed: maps.Clone(m.removed), ranks: maps.Clone(m.ranks),
	}
}

// names returns what the members are called, by rank.
func (m *membership) names() []string {
	names := make([]string, len(m.members))
	for i, o := range m.members {
		names[i] = o.Name
	}
	return names
}
