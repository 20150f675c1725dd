package membership

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
)

// Members is the membership of a run at one moment. It is not modified after it is stored in a
// [Current]: an amendment of the roster makes a new one.
type Members struct {
	All        []Member          // by rank: present and removed members, and newcomers that are known to join
	Removed    map[int]bool      // ranks
	Ranks      map[peer.ID]int   // ranks of the active peers; a removed member stays active for a while
	Amendments [][]byte          // encoded amendments that were decided
	Params     *consensus.Params // parameters of the run after the amendments

	public []crypto.PubKey // by rank
}

// A Current holds the present membership.
type Current struct{ atomic.Pointer[Members] }

// NewCurrent returns a Current that holds m.
func NewCurrent(m *Members) *Current {
	c := &Current{}
	c.Store(m)
	return c
}

// Has reports whether a peer is a member.
func (c *Current) Has(id peer.ID) bool {
	_, in := c.Load().Ranks[id]
	return in
}

// Name returns the name of a member.
func (c *Current) Name(rank int) string { return c.Load().All[rank].Name }

// FromState returns the members of a run from its state, after the amendments of its log.
func FromState(st *store.RunState, p consensus.Params) (*Members, error) {
	p = founded(st, p)
	m := &Members{Params: &p, Removed: map[int]bool{}, Ranks: map[peer.ID]int{}}
	for _, o := range st.Members {
		if err := m.add(Member{Name: o.Name, ID: peer.ID(o.ID), Addrs: o.Addrs}); err != nil {
			return nil, err
		}
	}
	err := st.Each(func(d *consensus.Decision) error {
		if d.Kind != consensus.Amend {
			return nil
		}
		a, err := d.Amendment()
		if err != nil {
			return err
		}
		return m.amend(a)
	})
	if err != nil {
		return nil, err
	}
	return m.Dismissed(), nil
}

// founded returns the parameters of a run at its start.
func founded(st *store.RunState, p consensus.Params) consensus.Params {
	for _, o := range st.Members[:st.Founders] {
		p.Members = append(p.Members, o.Name)
	}
	p.Joins = p.Self >= st.Founders
	return p
}

// CheckLog checks each decision of a run against the votes for it. The parameters must hold the
// keys of all members of the run.
func CheckLog(st *store.RunState, p consensus.Params) error {
	var log *consensus.Log
	return st.Each(func(d *consensus.Decision) (err error) {
		if log == nil {
			if log, err = consensus.NewLog(founded(st, p)); err != nil {
				return err
			}
		}
		if err := log.Check(d); err != nil {
			return st.Damage("log: " + err.Error())
		}
		return nil
	})
}

// Amended returns the members after a decided amendment.
func (m *Members) Amended(a *consensus.Amendment) (*Members, error) {
	next := m.clone()
	return next, next.amend(a)
}

// Dismissed returns the members without the removed ones among the active peers.
func (m *Members) Dismissed() *Members {
	next := m.clone()
	for rank := range next.Removed {
		if id := next.All[rank].ID; next.Ranks[id] == rank {
			delete(next.Ranks, id)
		}
	}
	return next
}

func (m *Members) clone() *Members {
	return &Members{
		All: slices.Clone(m.All), Removed: maps.Clone(m.Removed), Ranks: maps.Clone(m.Ranks),
		Amendments: slices.Clone(m.Amendments), Params: m.Params, public: slices.Clone(m.public),
	}
}

// add gives a member the next rank.
func (m *Members) add(o Member) error {
	key, err := o.ID.ExtractPublicKey()
	if err != nil {
		return fmt.Errorf("members: %s: peer ID %s: want a peer ID with an Ed25519 key: %w", o.Name, o.ID, err)
	}
	m.Ranks[o.ID] = len(m.All)
	m.All, m.public = append(m.All, o), append(m.public, key)
	return nil
}

func (m *Members) amend(a *consensus.Amendment) error {
	first := len(m.Params.Members)
	p, err := m.Params.Amend(a)
	if err != nil {
		return err
	}
	p.Joins = p.Self >= len(p.Members)
	m.Params = &p
	m.Amendments = append(m.Amendments, a.Encode())
	for i, s := range a.Added {
		if rank := first + i; rank < len(m.All) { // the state knew this newcomer already
			if m.All[rank].ID != peer.ID(s.ID) {
				return fmt.Errorf("want %s as member %d, as the members have decided, got %s", s.Name, rank+1, m.All[rank].Name)
			}
			continue
		}
		if err := m.add(Member{Name: s.Name, ID: peer.ID(s.ID), Addrs: s.Addrs}); err != nil {
			return err
		}
	}
	for _, r := range a.Removed {
		m.Removed[int(r)] = true
	}
	return nil
}

// PublicKey returns a member's key. The result ok is false if the rank is not known yet.
func (m *Members) PublicKey(rank int) (key crypto.PubKey, ok bool) {
	if rank >= len(m.public) {
		return nil, false
	}
	return m.public[rank], true
}

// Active returns the members of the roster, and newcomers that are known to join.
func (m *Members) Active() []Member {
	var list []Member
	for rank, o := range m.All {
		if !m.Removed[rank] {
			list = append(list, o)
		}
	}
	return list
}

// Quorum returns the number of members that decide.
func (m *Members) Quorum() int { return QuorumOf(m.Params) }

// QuorumOf returns the number of members that decide under the parameters of a run.
func QuorumOf(p *consensus.Params) int { return p.Rules(len(p.Members) - len(p.Removed)).Quorum }

// Stored returns the members in the form of a stored state.
func (m *Members) Stored() []store.Member {
	var list []store.Member
	for _, o := range m.All {
		list = append(list, store.Member{Name: o.Name, ID: []byte(o.ID), Addrs: o.Addrs})
	}
	return list
}

// Names returns the members' names, by rank.
func (m *Members) Names() []string {
	names := make([]string, len(m.All))
	for i, o := range m.All {
		names[i] = o.Name
	}
	return names
}

// A ConfigError reports that a field of Config has a value that no node can have.
type ConfigError struct{ Field, Got, Want string }

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s: want %s, got %s", e.Field, e.Want, e.Got)
}
