package consensus

import "github.com/collabdict/collabdict/chunking"

// secrets are what a member holds of an attempt's pads. They are told of the decided
// attempt only.
type secrets struct {
	dealt   bool                   // kept: this member has drawn its own
	pad     [32]byte               // kept: own
	held    map[int]chunking.Share // kept: shares of the others' pads
	commits map[int][32]byte       // kept with held: to the others' pads
}

// naming derives what belongs to one slot of a run.
type naming struct {
	run  [32]byte
	slot uint64
}

// context names a member's secrets in a ballot.
func (n naming) context(ballot uint32, from int) chunking.Context {
	return chunking.Context{Run: n.run, Slot: n.slot, Ballot: ballot, From: from}
}

// secret derives a secret of a ballot from randomness.
func (n naming) secret(entropy [32]byte, ballot uint32, purpose string) [32]byte {
	h := newHashing("secret/"+purpose, n.run)
	h.Write(entropy[:])
	h.number(n.slot)
	h.number(uint64(ballot))
	return h.sum()
}

// padMask returns the mask that a member's pad expands to.
func (n naming) padMask(owner int, attempt uint32, seed [32]byte) chunking.Mask {
	c := n.context(attempt, owner)
	c.To = owner
	return chunking.Mask{Context: c, Purpose: chunking.ForPad, Seed: seed}
}

// commitment returns what a member publishes of its pad before the session.
func (n naming) commitment(member int, ballot uint32, pad [chunking.SeedSize]byte) [32]byte {
	h := newHashing("commitment", n.run)
	h.number(n.slot)
	h.number(uint64(ballot))
	h.number(uint64(member))
	h.Write(pad[:])
	return h.sum()
}
