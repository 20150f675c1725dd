package node

import (
	"cmp"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// Status is a snapshot of a node's state.
type Status struct {
	Name    string    `json:"name"`              // that of this member
	State   string    `json:"state"`             // joining, or where the member stands in the collective
	BeginAt time.Time `json:"begin_at,omitzero"` // the earliest start of a new run, while joining
	Present []string  `json:"present,omitempty"` // members found, this one first, while joining
	Missing []string  `json:"missing,omitempty"` // listed members not found, while joining
	Want    int       `json:"want"`              // members of the run
	Addrs   []string  `json:"addrs"`             // addresses at which others can dial this member

	Slot    uint64 `json:"slot"`    // the number of the collective
	Attempt uint32 `json:"attempt"` // its ballot
	// Ballots are ballots that this process has seen beyond the first of each slot.
	Ballots   uint64   `json:"ballots"`
	Round     uint32   `json:"round"`                // the present round; 0 is the start
	Call      string   `json:"call,omitempty"`       // the collective that is running: sum or gather
	Iteration int      `json:"iteration"`            // steps of its session so far
	Predicted int      `json:"iterations_predicted"` // steps that the session takes
	Come      Come     `json:"come"`                 // how much of the sum has arrived
	Members   []string `json:"members"`              // members in the sums
	Absent    []Absent `json:"absent,omitempty"`     // all other members, and members lost since
	Alone     []Alone  `json:"alone,omitempty"`      // members that alone hear nothing from another
	// Paused reports whether the run is paused: too few members are connected, or they have agreed
	// to pause.
	Paused bool `json:"paused"`
	// PausedBy is the number of the change that paused the run; absent if too few members are
	// connected.
	PausedBy  uint32    `json:"paused_by,omitempty"`
	Since     time.Time `json:"paused_since,omitzero"` // when this process saw the pause begin
	Held      []string  `json:"held,omitempty"`        // members whose new statistics the last total holds back
	HeldUntil int       `json:"held_until,omitempty"`  // further members needed to count these
	Least     int       `json:"least"`                 // members without which the run pauses now
	Quorum    int       `json:"quorum"`                // members whose equal votes decide
	Stuck     string    `json:"stuck,omitempty"`       // why the attempt cannot decide
	Waiting   []Waiting `json:"waiting,omitempty"`     // members that delay the slot, or have not finished
	Wanted    []Wanted  `json:"wanted,omitempty"`      // changes of the roster that members want next

	SetupSlots     int `json:"setup_slots"`     // slots before round 1, the nonce's included
	LastIterations int `json:"last_iterations"` // steps of the last sum
	// LastDifference is the largest relative difference between this member's average and the
	// adopted one.
	LastDifference float64       `json:"last_difference"`
	LastDigest     [32]byte      `json:"-"`               // digest of the last collective's result
	LastTook       time.Duration `json:"last_took"`       // the duration of the last collective
	Traffic        Traffic       `json:"traffic"`         // what was sent and received
	Links          []Link        `json:"links,omitempty"` // connections to other members
	// Edges are the pairs of members that exchange vectors in the present or the last sum, from what
	// this process has seen. With more than 200 members there are none.
	Edges []Exchange `json:"edges,omitempty"`
	// Unreached lists, while joining, the pairs of members found that do not reach each other.
	Unreached []Unreached `json:"unreached,omitempty"`
}

// A Link is a connection to another member.
type Link struct {
	Name string `json:"name"`          // that of the member
	Via  string `json:"via,omitempty"` // the member that relays it, if any
}

// An Exchange is a pair of members that exchange vectors in a sum.
type Exchange struct {
	A string `json:"a"` // the name of one
	B string `json:"b"` // the name of the other
}

// An Unreached is a pair of members that are both found and do not reach each other.
type Unreached = rendezvous.Unreached

// An Alone reports that member By treats member Of as lost, while a quorum hears from Of.
type Alone struct {
	By string `json:"by"` // the member that hears nothing
	Of string `json:"of"` // the member that it does not hear
}

// Traffic counts what a node has sent and received since its start: bytes of all streams, bytes
// sent on the data plane, and messages.
type Traffic = transport.Traffic

// Come counts the frames and bytes of the current sum's vectors that have arrived, and all that
// are expected. It leaves out seeds and gossip. It is at most half a heartbeat old, and zero
// between sums and before the session.
type Come struct {
	Frames      int   `json:"frames"`        // have arrived
	FramesInAll int   `json:"frames_in_all"` // expected
	Bytes       int64 `json:"bytes"`         // have arrived
	BytesInAll  int64 `json:"bytes_in_all"`  // expected
}

// An Absent is a member that takes no part at the moment.
type Absent struct {
	Name   string `json:"name"`   // its name
	Reason string `json:"reason"` // why it is absent
	// Lost reports whether it is silent, or has left; otherwise it may still join the attempt.
	Lost bool `json:"lost"`
}

// A Waiting is a member that the others wait for.
type Waiting struct {
	Name  string        `json:"name"`  // its name
	For   time.Duration `json:"for"`   // the time since the slot's last step
	Usual time.Duration `json:"usual"` // the usual duration of a slot; 0 if unknown
}

// A Wanted is a change of the roster that members want.
type Wanted struct {
	Names []string `json:"names"` // members that want it, as far as this one knows
	Own   bool     `json:"own"`   // whether this member wants it
}

// A snapshot is the state that the loop publishes for readers.
type snapshot struct {
	machine    consensus.Status
	rules      consensus.Rules
	record     consensus.Record
	held       []string // names of machine.Held
	heldUntil  int
	edges      [][2]int // the ranks of members that exchange vectors
	took       time.Duration
	ballots    uint64
	since      time.Time // start of the pause, as this process saw it
	unfinished []string  // at the planned end: members whose end has not been received
}

// publish makes the machine's status visible, and logs what has changed.
func (l *loop) publish() {
	s := &snapshot{machine: l.machine.Status(), rules: l.machine.Rules(), record: l.record, took: l.took}
	s.edges = l.exchanges.next(s.machine)
	if n := len(s.machine.Held); n > 0 {
		s.heldUntil = max(1, s.rules.Colluders+2-n)
	}
	for _, m := range s.machine.Held {
		s.held = append(s.held, l.members.Name(int(m)))
	}
	l.watch(s.machine)
	s.ballots, s.since = l.logged.ballots, l.logged.since
	if s.machine.State == consensus.Finished {
		s.unfinished = l.unfinished(s.machine)
	}
	l.status.Store(s)
	if s.machine.State == consensus.Finished && s.unfinished == nil && !l.allOver {
		l.allOver = true
		close(l.allEnded)
	}
}

// unfinished returns the names of the members that neither have ended their part nor are lost.
func (l *loop) unfinished(s consensus.Status) (names []string) {
	lost := ranksOf(s.Lost)
	all := l.members.Load()
	for rank, m := range all.All {
		if rank != l.self && !all.Removed[rank] && !lost[rank] && l.ended[rank].IsZero() {
			names = append(names, m.Name)
		}
	}
	return names
}

func ranksOf(members []consensus.Missing) map[int]bool {
	ranks := map[int]bool{}
	for _, m := range members {
		ranks[int(m.Member)] = true
	}
	return ranks
}

// lost returns the ranks of the lost members.
func (l *loop) lost() map[int]bool { return ranksOf(l.status.Load().machine.Lost) }

// Status returns the node's present state. It never blocks.
func (n *Node) Status() Status {
	s := n.loop.status.Load()
	m := s.machine
	all := n.members.Load()
	out := Status{
		Name: all.All[n.self].Name, State: m.State.String(), Want: s.rules.Size, Addrs: n.Addrs(),
		Slot: m.Slot, Attempt: m.Ballot, Ballots: s.ballots, Round: m.Round, Iteration: m.Step, Predicted: cmp.Or(m.Steps, n.loop.predicted),
		Paused: m.Paused, PausedBy: m.PausedBy, Since: s.since, Held: s.held, HeldUntil: s.heldUntil, Least: m.Least, Quorum: s.rules.Quorum, Stuck: m.Stuck,
		SetupSlots: s.record.Setup, LastIterations: s.record.Rounds, LastDifference: s.record.Difference,
		LastDigest: s.record.Digest, LastTook: s.took, Traffic: n.Traffic(),
	}
	out.Come = Come{m.Come.Frames, m.Come.FramesInAll, 8 * int64(m.Come.Words), 8 * int64(m.Come.WordsInAll)}
	if m.Kind != 0 {
		out.Call = m.Kind.String()
	}
	absent := map[uint32]Absent{}
	for i, a := range slices.Concat(m.Missing, m.Lost) {
		absent[a.Member] = Absent{all.All[a.Member].Name, membership.Printable(a.Reason), i >= len(m.Missing)}
	}
	for rank := range all.All {
		if a, yes := absent[uint32(rank)]; yes {
			out.Absent = append(out.Absent, a)
		}
	}
	for _, a := range m.Alone {
		out.Alone = append(out.Alone, Alone{all.All[a.By].Name, all.All[a.Of].Name})
	}
	for _, w := range m.Wanted {
		out.Wanted = append(out.Wanted, Wanted{Own: w.Amends == m.Requested})
		for _, r := range w.Members {
			last := &out.Wanted[len(out.Wanted)-1]
			last.Names = append(last.Names, all.All[r].Name)
		}
	}
	for _, r := range m.Members {
		out.Members = append(out.Members, all.All[r].Name)
	}
	for _, e := range s.edges {
		out.Edges = append(out.Edges, Exchange{all.All[e[0]].Name, all.All[e[1]].Name})
	}
	out.Links = linksOf(n.host.Links(), func(id peer.ID) string { return nameIn(all.All, id) })
	waited := time.Since(n.loop.start) - m.Since
	for _, name := range slices.Concat(n.loop.namesOf(m.Waiting), s.unfinished) {
		out.Waiting = append(out.Waiting, Waiting{Name: name, For: waited, Usual: m.Usual})
	}
	return out
}

// linksOf returns connections with the names of their ends. It leaves out peers without a name.
func linksOf(links []transport.Link, name func(peer.ID) string) (named []Link) {
	for _, l := range links {
		if n := name(l.ID); n != "" {
			named = append(named, Link{Name: n, Via: name(l.Via)})
		}
	}
	return named
}

// nameIn returns the name of a member of a list, or "" if the list does not have it.
func nameIn(list []Member, id peer.ID) string {
	if i := slices.IndexFunc(list, func(m Member) bool { return m.ID == id }); i >= 0 {
		return list[i].Name
	}
	return ""
}
