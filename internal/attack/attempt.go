package attack

import (
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
)

// Attempt is what a coalition knows about one attempt at a sum.
type Attempt struct {
	Run, Chain [32]byte // Run identifies the run, Chain is the hash over the slots before
	Slot       uint64
	Ballot     uint32
	Members    []int // members of the view, in rank order
	Blocks     []collabdict.Block
	Seeds      map[Edge]*consensus.Seeds
	Lanes      []Frames
	Pads       map[int][32]byte         // pads revealed after the commit, by owner
	Shares     map[int][]chunking.Share // shares of other pads revealed after the commit
}

// Edge is a sender and a receiver.
type Edge struct{ From, To int }

// Frames holds the frames that the coalition has sent and received in a session. From and To
// are members.
type Frames map[exposure.FrameKey][]uint64

// Recover returns the vectors of other members that a coalition can derive from an attempt, by
// member. A result may differ from the member's vector, because the coalition cannot rule out a
// chunk between two other members.
func (b *Book) Recover(a *Attempt, coalition []int) map[int][]float64 {
	layout, err := chunking.NewLayout(b.settings.Arithmetic(), len(a.Members), a.Blocks)
	if err != nil {
		return nil // no member enters such blocks
	}
	found := map[int][]float64{}
	open := b.candidates(a, coalition)
	if len(open) == 0 {
		return found
	}
	residues := b.residues(a, layout)
	for _, s := range open {
		units, ok := b.join(residues[s], layout)
		if !ok {
			continue
		}
		b.takeOff(a, layout, s, units)
		if x, err := layout.Open(units, nil); err == nil {
			found[s] = x
		}
	}
	return found
}

// candidates returns the members whose masks the coalition may know completely: the pad, and
// all chunks that the member deals.
func (b *Book) candidates(a *Attempt, coalition []int) []int {
	plan, err := b.plans.For(len(a.Members))
	if err != nil {
		return nil
	}
	var open []int
	for _, s := range a.Members {
		if slices.Contains(coalition, s) {
			continue
		}
		known := 0
		for e, seeds := range a.Seeds {
			if e.From == s && (seeds.Chunk != nil || seeds.Full != nil) {
				known++
			}
		}
		if _, pad := b.pad(a, s); known == plan.Fanout && (pad || !b.rules.Sealed) {
			open = append(open, s)
		}
	}
	return open
}

// pad returns a member's pad, either revealed or restored from shares: those revealed and those
// that the coalition holds.
func (b *Book) pad(a *Attempt, s int) ([32]byte, bool) {
	if pad, told := a.Pads[s]; told {
		return pad, true
	}
	shares := slices.Clone(a.Shares[s])
	for e, seeds := range a.Seeds {
		if e.From == s && seeds.Share != nil {
			shares = append(shares, *seeds.Share)
		}
	}
	slices.SortFunc(shares, func(x, y chunking.Share) int { return int(x.X) - int(y.X) })
	shares = slices.CompactFunc(shares, func(x, y chunking.Share) bool { return x.X == y.X })
	if b.rules.Shares == 0 || len(shares) < b.rules.Shares {
		return [32]byte{}, false
	}
	pad, err := chunking.JoinSecret(shares, b.rules.Shares)
	return pad, err == nil
}

// takeOff subtracts the known chunks and the known pad from a member's units.
func (b *Book) takeOff(a *Attempt, layout *chunking.Layout, s int, units []uint64) {
	c := chunking.Context{Run: a.Run, Slot: a.Slot, Ballot: a.Ballot}
	for e, seeds := range a.Seeds {
		if e.From != s && e.To != s {
			continue
		}
		chunk := make([]uint64, len(units))
		switch {
		case seeds.Full != nil:
			copy(chunk, seeds.Full)
		case seeds.Chunk != nil:
			c.From, c.To = e.From, e.To
			layout.AddMask(chunk, chunking.Mask{Context: c, Purpose: chunking.ForChunk, Seed: [32]byte(seeds.Chunk)})
		default:
			continue
		}
		if e.From == s {
			layout.Add(units, chunk)
		} else {
			layout.Subtract(units, chunk)
		}
	}
	if pad, known := b.pad(a, s); known && b.rules.Sealed {
		c.From, c.To = s, s
		layout.SubtractMask(units, chunking.Mask{Context: c, Purpose: chunking.ForPad, Seed: pad})
	}
}

// join combines a member's parts from all sessions.
func (b *Book) join(lanes [][]uint64, layout *chunking.Layout) ([]uint64, bool) {
	all, threshold := b.settings.Lanes()
	known := 0
	for i, words := range lanes {
		if words == nil {
			continue
		}
		units, err := layout.FromSession(words)
		if err != nil {
			lanes[i] = nil
			continue
		}
		lanes[i] = units
		known++
	}
	var units []uint64
	var err error
	switch {
	case known < threshold:
		return nil, false
	case b.settings.Protect == chunking.Shamir:
		units, err = chunking.Join(lanes, threshold)
	case all > 1:
		units, err = layout.JoinLanes(lanes)
	default:
		units = lanes[0]
	}
	return slices.Clone(units), err == nil
}
