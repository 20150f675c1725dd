package consensus

import (
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// A Valid is a message of valid form: required fields are present, members have known ranks,
// lists are in order, lengths match. Only [Validate] makes one, so the machine checks only what
// depends on its state.
type Valid struct{ message Message }

// Message returns the message.
func (v Valid) Message() Message { return v.message }

// An InvalidError names the field of a message whose form no honest member sends.
type InvalidError struct {
	Field string
	Got   any
	Want  string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s: want %s, got %v", e.Field, e.Want, e.Got)
}

// Validate checks the form of a message between members with ranks below the given number. It
// checks no signatures, and nothing that depends on the receiver's state.
func Validate(m Message, ranks int) (Valid, error) {
	v := &validator{ranks: ranks}
	v.body(m)
	if v.err != nil {
		return Valid{}, v.err
	}
	return Valid{m}, nil
}

// A validator keeps the first error.
type validator struct {
	ranks int
	err   error
}

func (v *validator) want(ok bool, field string, got any, want string) bool {
	if !ok && v.err == nil {
		v.err = &InvalidError{field, got, want}
	}
	return ok
}

func (v *validator) body(m Message) {
	switch b := m.Body.(type) {
	case *Seeds:
		v.want(b.Header.Kind == Sum, "seeds: collective", b.Header.Kind, "a sum")
		v.want(len(b.Chunk) == 0 || len(b.Chunk) == chunking.SeedSize, "chunk seed", len(b.Chunk), "32 bytes or none")
		if b.Share != nil {
			v.share(*b.Share)
		}
	case *Blob:
		v.want(b.Header.Kind == Gather, "blob: collective", b.Header.Kind, "a gather")
	case *Seal:
		if v.want(b.Sealed != nil, "seal", "nothing", "a sealed result") {
			v.want(b.Sealed.Attempt == m.Ballot, "seal: attempt", b.Sealed.Attempt, "that of the message")
			v.sealed(b.Sealed)
		}
	case *Promise:
		v.promise(b)
	case *View:
		v.want(b.Ballot == m.Ballot, "view: ballot", b.Ballot, "that of the message")
		v.view(b)
	case *Commit:
		v.certificate(b.Certificate)
	case *Pads:
		v.most("pads", len(b.Pads))
		for _, p := range b.Pads {
			v.rank("pad", p.Member)
		}
	case *Shares:
		v.most("shares", len(b.Shares))
		for _, s := range b.Shares {
			v.rank("share", s.Member)
			v.share(s.Share)
		}
	case *Reopen:
		v.reopen(b)
	case *Decided:
		v.decided(m.Slot, b)
	case *Heartbeat:
		v.want(b.State >= Idle && b.State <= Failed, "heartbeat: state", b.State, "a known state")
		v.want(int64(b.Ask) <= int64(v.ranks), "heartbeat: asks", b.Ask, "0 or 1 plus a rank")
		v.members("heartbeat: waiting", b.Waiting)
		v.members("heartbeat: suspects", b.Suspects)
	case *Leave:
		v.members("leave: blame", b.Blame)
		v.want(len(b.Votes) == 0 || len(b.Votes) == 2, "leave: votes", len(b.Votes), "none or 2")
		for _, c := range b.Votes {
			v.rank("leave: votes", c.Member)
		}
	case *Step, *Prepare, *Busy, *Done, *Opened:
	default:
		v.want(false, "body", fmt.Sprintf("%T", m.Body), "one of the known bodies")
	}
}

func (v *validator) rank(field string, r uint32) {
	v.want(int64(r) < int64(v.ranks), field, r, "the rank of a member")
}

func (v *validator) most(field string, n int) {
	v.want(n <= v.ranks, field, n, "at most one per member")
}

func (v *validator) members(field string, ranks []uint32) {
	v.most(field, len(ranks))
	for _, r := range ranks {
		v.rank(field, r)
	}
}

// inOrder checks that ranks are ascending, each at most once.
func (v *validator) inOrder(field string, ranks []uint32) {
	v.members(field, ranks)
	for i, r := range ranks {
		v.want(i == 0 || r > ranks[i-1], field, r, "members in rank order")
	}
}

func (v *validator) missing(missing []Missing) {
	v.most("missing members", len(missing))
	for _, m := range missing {
		v.rank("missing members", m.Member)
	}
}

func (v *validator) share(s chunking.Share) { v.want(s.X > 0, "share", s.X, "a point from 1 to 255") }

func (v *validator) promise(p *Promise) {
	v.rank("promise", p.Member)
	v.inOrder("promise: members left out", p.Without)
}

func (v *validator) view(b *View) {
	v.inOrder("view", b.Members)
	v.missing(b.Missing)
	v.most("promises", len(b.Promises))
	for i := range b.Promises {
		v.promise(&b.Promises[i])
	}
}

func (v *validator) certificate(c *Certificate) {
	if !v.want(c != nil, "certificate", "nothing", "the votes of a quorum") {
		return
	}
	v.most("votes", len(c.Votes))
	for _, s := range c.Votes {
		v.rank("vote", s.Member)
	}
}

// sealed checks that the fields match the kind of the collective, with one element per member.
func (v *validator) sealed(s *Sealed) {
	n := len(s.Members)
	v.inOrder("sealed: members", s.Members)
	v.missing(s.Missing)
	v.want(len(s.Commits) == 0 || len(s.Commits) == n, "commitments", len(s.Commits), "one per member, or none")
	v.blocks(s.Blocks)
	switch k := s.Header.Kind; k {
	case Sum:
		v.want(len(s.Blobs) == 0, "sealed: blobs", len(s.Blobs), "none in a sum")
		v.running("sealed: running total", s.Header.Running.Key, s.Header.Running.From, s.Header.Running.Size)
		return
	case Gather:
		v.blobs(s.Blobs, n)
	case Amend:
		v.blobs(s.Blobs, 1)
	default:
		v.want(false, "sealed: collective", uint8(k), "a known collective")
	}
	v.want(len(s.Words)+len(s.Blocks)+len(s.Commits) == 0, "sealed", "words", "blobs only")
}

func (v *validator) running(field, key, from string, size uint32) {
	v.want(len(key) <= mostKeyLen && len(from) <= mostKeyLen, field, "a longer key", fmt.Sprintf("keys of at most %d bytes", mostKeyLen))
	v.want(size <= maxRoster && (key != "" || from == "" && size == 0), field, size, fmt.Sprintf("a roster of at most %d members", maxRoster))
}

func (v *validator) blocks(blocks []collabdict.Block) {
	total := 0
	for _, b := range blocks {
		if !v.want(b.Len >= 0 && b.Len <= maxValues-total, "block length", b.Len, "no more values than a vector may have") {
			return
		}
		total += b.Len
	}
}

func (v *validator) blobs(blobs [][]byte, n int) {
	v.want(len(blobs) == n, "blobs", len(blobs), fmt.Sprint(n))
	for _, b := range blobs {
		v.want(b != nil, "blobs", "none", "one per member")
	}
}

func (v *validator) reopen(b *Reopen) {
	v.want(b.Epoch > 0 && b.Epoch <= maxBallot, "reopen: epoch", b.Epoch, "1 to 2^30")
	v.most("lost members", len(b.Lost))
	lost := make(map[uint32]bool, len(b.Lost))
	for i, l := range b.Lost {
		v.rank("lost members", l.Member)
		v.rank("substitute", l.By)
		v.want(i == 0 || l.Member > b.Lost[i-1].Member, "lost members", l.Member, "members in rank order")
		lost[l.Member] = true
	}
	for _, l := range b.Lost {
		v.want(!lost[l.By], "substitute", l.By, "a member that is not lost")
	}
}

func (v *validator) decided(slot uint64, b *Decided) {
	d := b.Decision
	if !v.want(d != nil, "decided", "nothing", "a decision") {
		return
	}
	v.want(d.Slot == slot, "decided: slot", d.Slot, "that of the message")
	v.inOrder("decided: members", d.Members)
	v.missing(d.Missing)
	v.certificate(d.Certificate)
	if d.Kind != Amend || b.Next != nil { // an amendment needs no later votes
		v.certificate(b.Next)
	}
	switch d.Kind {
	case Sum:
		v.want(len(d.Blobs) == 0, "decided: blobs", len(d.Blobs), "none in a sum")
		if c := d.Running; c != nil {
			v.running("decided: running total", c.Key, c.From, c.Size)
			v.want(c.Key != "", "decided: running total", "no key", "a key")
			v.inOrder("decided: counted members", c.Members)
		}
	case Gather, Amend:
		v.want(d.Total == nil && d.Running == nil, "decided", "a total", "blobs only")
	default:
		v.want(false, "decided: collective", uint8(d.Kind), "a known collective")
	}
}
