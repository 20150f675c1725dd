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

// Status is a snapshot of what a node is doing.
type Status struct {
	Name    string    `json:"name"`
	State   string    `json:"state"`             // "joining", or that of the consensus
	BeginAt time.Time `json:"begin_at,omitzero"` // while joining: a new run does not begin before
	Present []string  `json:"present,omitempty"` // while joining: the members met, this one first
	Missing []string  `json:"missing,omitempty"` // while joining: those of a given roster not met
	Want    int       `json:"want"`              // members of the run
	Addrs   []string  `json:"addrs"`             // where others can dial this member

	Slot      uint64    `json:"slot"`
	Attempt   uint32    `json:"attempt"` // at the slot: the ballot
	Ballots   uint64    `json:"ballots"` // that this process has seen beyond the first of each slot
	Round     uint32    `json:"round"`
	Call      string    `json:"call,omitempty"` // the collective under way
	Iteration int       `json:"iteration"`
	Predicted int       `json:"iterations_predicted"`
	Come      Come      `json:"come"`
	Members   []string  `json:"members"`               // of the view
	Absent    []Absent  `json:"absent,omitempty"`      // all others, and those that were lost since
	Alone     []Alone   `json:"alone,omitempty"`       // members that alone hear nothing of another
	Paused    bool      `json:"paused"`                // too few members are there to go on, or they have agreed to pause
	PausedBy  uint32    `json:"paused_by,omitempty"`   // the number of the change that has paused the run; absent if too few are there
	Since     time.Time `json:"paused_since,omitzero"` // when this process saw that the run is paused
	Held      []string  `json:"held,omitempty"`        // members whose new statistics the last total holds back
	HeldUntil int       `json:"held_until,omitempty"`  // how many more must come with them
	Least     int       `json:"least"`                 // members that it takes
	Quorum    int       `json:"quorum"`                // members that decide
	Stuck     string    `json:"stuck,omitempty"`       // why the attempt cannot decide
	Waiting   []Waiting `json:"waiting,omitempty"`     // members that hold the slot up, or have not finished
	Wanted    []Wanted  `json:"wanted,omitempty"`      // changes of the roster that members want next

	SetupSlots     int           `json:"setup_slots"`     // ended before round 1, the nonce's included
	LastIterations int           `json:"last_iterations"` // of the last Sum
	LastDifference float64       `json:"last_difference"` // largest of the own average from the adopted one, relative
	LastDigest     [32]byte      `json:"-"`               // of the last collective's result
	LastTook       time.Duration `json:"last_took"`       // the last collective, by the wall clock
	Traffic        Traffic       `json:"traffic"`
	Links          []Link        `json:"links,omitempty"` // to the members that are connected
	// Unreached are pairs of members that are here and do not reach each other, while joining.
	Unreached []Unreached `json:"unreached,omitempty"`
}

// Link is a connection to another member.
type Link struct {
	Name string `json:"name"`
	Via  string `json:"via,omitempty"` // the member that passes it on; "" if it is direct
}

// Unreached is a pair of members that are both here and do not reach each other.
type Unreached = rendezvous.Unreached

// Alone says that the member By takes the member Of for lost, of which a quorum hears.
type Alone struct {
	By string `json:"by"`
	Of string `json:"of"`
}

// Traffic counts what a node has sent and received since it was started: bytes of all its
// streams, those sent on the data plane, and messages.
type Traffic = transport.Traffic

// Come is what had come to a node, half a heartbeat ago at the most, of the vectors of the
// sum under way, and what is to come in all: the frames of the session, without seeds
// and gossip. It is zero between sums, and before the session.
type Come struct {
	Frames      int   `json:"frames"`
	FramesInAll int   `json:"frames_in_all"`
	Bytes       int64 `json:"bytes"`
	BytesInAll  int64 `json:"bytes_in_all"`
}

// Absent is a member that takes no part at the moment.
type Absent struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Lost   bool   `json:"lost"` // is silent, or has left; else it may come in soon
}

// Waiting is a member that is waited for.
type Waiting struct {
	Name  string        `json:"name"`
	For   time.Duration `json:"for"`   // since the slot last made a step
	Usual time.Duration `json:"usual"` // what a slot takes; 0 if that is not known
}

// Wanted is a change of the roster that members want.
type Wanted struct {
	Names []string `json:"names"` // of those who want it, as far as this member hears of them
	Own   bool     `json:"own"`   // it is what this member wants
}

// snapshot is what the loop publishes for readers.
type snapshot struct {
	machine    consensus.Status
	rules      consensus.Rules
	record     consensus.Record
	held       []string // names of machine.Held
	heldUntil  int
	took       time.Duration
	ballots    uint64
	since      time.Time // when the run was seen to be paused
	unfinished []string  // at the planned end: members whose end has not been heard
}

// publish makes the machine's status visible, and tells of what has changed.
func (l *loop) publish() {
	s := &snapshot{machine: l.machine.Status(), rules: l.machine.Rules(), record: l.record, took: l.took}
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

// unfinished names the members that have neither ended their part nor are lost.
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

// lost returns the ranks of the members that count as lost.
func (l *loop) lost() map[int]bool { return ranksOf(l.status.Load().machine.Lost) }

// Status returns what the node is doing now. It never blocks.
func (n *Node) Status() Status {
	s := n.loop.status.Load()
	m := s.machine
	all := n.members.Load()
	out := Status{
		Name: all.All[n.self].Name, State: m.State.String(), Want: s.rules.Size, Addrs: n.Addrs(),
		Slot: m.Slot, Attempt: m.Ballot, Ballots: s.ballots, Round: m.Round, Iteration: m.Step, Predicted: cmp.Or(m.Steps, n.loop.predicted),
		Paused: m.Paused, PausedBy: m.PausedBy, Since: s.since, Held: s.held, HeldUntil: s.heldUntil, Least: s.rules.Least, Quorum: s.rules.Quorum, Stuck: m.Stuck,
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
	out.Links = linksOf(n.host.Links(), func(id peer.ID) string { return nameIn(all.All, id) })
	waited := time.Since(n.loop.start) - m.Since
	for _, name := range slices.Concat(n.loop.namesOf(m.Waiting), s.unfinished) {
		out.Waiting = append(out.Waiting, Waiting{Name: name, For: waited, Usual: m.Usual})
	}
	return out
}

// linksOf names the ends of connections. Those without a name are left out.
func linksOf(links []transport.Link, name func(peer.ID) string) (named []Link) {
	for _, l := range links {
		if n := name(l.ID); n != "" {
			named = append(named, Link{Name: n, Via: name(l.Via)})
		}
	}
	return named
}

// nameIn returns what a member of a list is called, "" if it is not in it.
func nameIn(list []Member, id peer.ID) string {
	if i := slices.IndexFunc(list, func(m Member) bool { return m.ID == id }); i >= 0 {
		return list[i].Name
	}
	return ""
}
