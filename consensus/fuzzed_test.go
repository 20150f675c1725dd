package consensus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// An Input is the fuzzer's input, read from its beginning. Zeros follow it.
type Input struct{ b []byte }

// More reports whether any input is left.
func (in *Input) More() bool { return len(in.b) > 0 }

func (in *Input) byte() byte {
	if len(in.b) == 0 {
		return 0
	}
	c := in.b[0]
	in.b = in.b[1:]
	return c
}

// below returns a number from 0 to n-1.
func (in *Input) below(n int) int { return int(in.byte()) % n }

func (in *Input) uint64() uint64 {
	var b [8]byte
	for i := range b {
		b[i] = in.byte()
	}
	return binary.LittleEndian.Uint64(b[:])
}

// A Fuzzed is a signed run of four members. One of them is the attacker: besides its honest
// messages, it sends member 1 messages made from fuzzed input.
type Fuzzed struct {
	*fuzzedRun
	in        *Input
	attacker  int
	votedIn   uint32
	disturbed int // number of messages that were preceded by a disturbance
	before    progress
	chains    map[uint64][32]byte // chains of the decisions, by slot
}

// A progress is the part of a member's state that never goes back within a slot.
type progress struct {
	slot     uint64
	promised uint32
	entered  int64
	vote     int64 // ballot of the vote, -1 for none
	commit   *Certificate
}

func progressOf(m *Machine) progress {
	s := m.slot
	p := progress{slot: s.number, promised: s.ballots.promised, entered: s.entered, vote: -1, commit: s.ballots.commit}
	if s.ballots.vote != nil {
		p.vote = int64(s.ballots.vote.Ballot)
	}
	return p
}

// NewFuzzed returns the run that the first bytes select. The other bytes are for Next.
func NewFuzzed(t testing.TB, b []byte) (*Fuzzed, *Input) {
	in := &Input{b}
	stage := in.below(len(fuzzedStages))
	kind := in.below(len(fuzzedKinds))
	x := &Fuzzed{in: in, attacker: []int{0, 2, 3}[in.below(3)], chains: map[uint64][32]byte{}}
	x.fuzzedRun = runAt(t, kind, stage).copy(t)
	x.before = progressOf(x.members[1].Machine)
	x.watch = x.check
	for s, m := range x.members {
		for _, d := range m.log {
			x.checkDecision(s, d)
		}
	}
	return x, in
}

// Stages and Kinds return the number of stages and kinds.
func Stages() int { return len(fuzzedStages) }
func Kinds() int  { return len(fuzzedKinds) }

// Next returns the attacker's next message, with a body of the given kind, after some honest
// messages were delivered.
func (x *Fuzzed) Next(body func(*Fuzzed) Body) Message {
	x.disturb()
	m := Message{Slot: x.slot(), Ballot: x.ballot()}
	m.Body = body(x)
	if x.in.below(16) < 15 {
		x.fit(&m)
	}
	return m
}

// Give gives member 1 a message of the attacker. A resulting error must name the attacker or a
// total that it has spoilt.
func (x *Fuzzed) Give(v Valid) {
	x.t.Helper()
	m := x.members[1]
	failed, msg := m.err != nil, v.message
	from := x.attacker
	if x.in.byte() == 255 {
		from = []int{-1, 1, 4}[x.in.below(3)]
	}
	x.step(1, Receive{From: from, Message: v})
	if m.err == nil || failed {
		return
	}
	text := m.err.Error()
	spoilt := strings.Contains(text, "of the total") || strings.Contains(text, "lane")
	if !spoilt && !strings.Contains(text, x.names[x.attacker]) || from != x.attacker {
		x.t.Fatalf("%s of m%d: ended with %q", describeBody(msg), from, text)
	}
	if strings.ContainsFunc(text, unicode.IsControl) || len(text) > 1000 {
		x.t.Fatalf("not fit for a line: %q", text)
	}
}

// Finish continues the run with honest messages for a while.
func (x *Fuzzed) Finish() {
	calls := uint64(0)
	for _, m := range x.members {
		calls = max(calls, m.Slot()+1)
	}
	x.learn(slices.Repeat([]func(int) Call{x.call}, int(calls)), 12*time.Second)
}

// check checks the invariants for a step of a member.
func (x *Fuzzed) check(s int, ev Event, e Effects) {
	x.t.Helper()
	x.note(s, ev, e)
	m := x.members[s]
	for _, d := range e.Decisions {
		x.checkDecision(s, d)
	}
	for _, send := range e.Sends {
		switch send.Message.Body.(type) {
		case *Pads, *Shares:
			x.checkOpening(s, send.Message)
		}
	}
	if s != 1 {
		return
	}
	p, q := x.before, progressOf(m.Machine)
	x.before = q
	switch {
	case q.slot > p.slot:
	case q.slot < p.slot,
		p.commit != nil && (q.commit == nil || q.commit.Value != p.commit.Value),
		q.commit == nil && (q.promised < p.promised || q.entered < p.entered || q.vote < p.vote):
		x.t.Fatalf("goes back from %+v to %+v", p, q)
	}
}

// checkDecision asserts that a decision is right and equal to that of the others.
func (x *Fuzzed) checkDecision(s int, d *Decision) {
	x.t.Helper()
	if other, known := x.chains[d.Slot]; known && other != d.Chain {
		x.t.Fatalf("member %d decides slot %d differently from another member", s, d.Slot)
	}
	x.chains[d.Slot] = d.Chain
	switch d.Kind {
	case Sum:
		checkTotal(x.t, d, fuzzedValues, fuzzedBlocks, 1e-6)
		return
	case Amend:
		if !bytes.Equal(d.Blobs[0], fuzzedAmendment.Encode()) {
			x.t.Fatalf("member %d decides on %q", s, d.Blobs)
		}
		return
	}
	for i, b := range d.Blobs {
		if in := slices.Contains(d.Members, uint32(i)); in != (b != nil) || in && !bytes.Equal(b, fuzzedBlobs[i]) {
			x.t.Fatalf("member %d decides on %q of member %d", s, b, i)
		}
	}
}

// checkOpening asserts that an attempt whose pads or shares are sent has been decided: the
// sender has a certificate, and members other than the attacker have really cast its votes.
func (x *Fuzzed) checkOpening(s int, msg Message) {
	x.t.Helper()
	m := x.members[s]
	var value *Value
	for _, sl := range []*slot{m.slot, m.last} {
		if sl != nil && sl.number == msg.Slot && sl.ballots.commit != nil && sl.ballots.commit.Value.Attempt == msg.Ballot {
			value = &sl.ballots.commit.Value
		}
	}
	if value == nil {
		x.t.Fatalf("member %d sends %s without a certificate", s, describeBody(msg))
	}
	for v, members := range x.votes {
		if v.slot == msg.Slot && v.Value == *value && bits.OnesCount8(members|1<<x.attacker) >= m.roster.Quorum {
			return
		}
	}
	x.t.Fatalf("member %d sends %s, for which too few have voted: %v", s, describeBody(msg), fmt.Sprint(x.votes))
}
