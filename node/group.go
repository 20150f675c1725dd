package node

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

var (
	_ collabdict.Group        = (*Node)(nil)
	_ collabdict.RoundStarter = (*Node)(nil)
	_ collabdict.Comparer     = (*Node)(nil)
	_ collabdict.Replayer     = (*Node)(nil)
	_ collabdict.Carrier      = (*Node)(nil)
)

// mostBytes is the most that a member accepts from another in one Gather.
const mostBytes = 1 << 20

// Size returns the number of members whose contributions are in the last collective. Before the
// first one it returns the number of all members.
func (n *Node) Size() int {
	if d := n.answered.Load(); d != nil {
		return len(d.Members)
	}
	return n.journal.Founders
}

// StartRound assigns the following collectives to a model round.
func (n *Node) StartRound(number int) { n.round.Store(uint32(number)) }

// Compare implements collabdict.Comparer.
func (n *Node) Compare(parameters [32]byte) { n.parameters.Store(&parameters) }

// Sum returns the sum of the members' x. A member that fails during the sum may be left out; if
// too few members are left, Sum waits for them. In a process that resumes a run, calls that the
// run has decided already return at once.
//
// Sum does not copy x, and uses it until it returns. If ctx ends first, the collective
// continues in the background, and the node accepts only Leave, Abort and Close.
func (n *Node) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	return n.sum(ctx, consensus.Call{Kind: consensus.Sum, Values: x, Blocks: slices.Clone(blocks)})
}

// Accumulate is Sum over all members counted so far; see collabdict.Group.
func (n *Node) Accumulate(ctx context.Context, r collabdict.Running, x []float64, blocks []collabdict.Block) ([]float64, error) {
	return n.sum(ctx, consensus.Call{Kind: consensus.Sum, Running: r, Values: x, Blocks: slices.Clone(blocks)})
}

func (n *Node) sum(ctx context.Context, c consensus.Call) ([]float64, error) {
	x, blocks := c.Values, c.Blocks
	if len(x) > n.mostValues {
		return nil, fmt.Errorf("sum: want at most %d values, got %d", n.mostValues, len(x))
	}
	if len(blocks) > wire.MaxBlocks {
		return nil, fmt.Errorf("sum: want at most %d blocks, got %d", wire.MaxBlocks, len(blocks))
	}
	d, err := n.call(ctx, c)
	if err != nil {
		if ctx.Err() != nil { // the collective needs x, which the caller may modify after this return
			_, _ = n.loop.ask(context.Background(), &request{do: n.loop.keepCall})
		}
		return nil, err
	}
	return d.Total, nil
}

// Gather returns the members' blobs by rank, each at most 1 MiB; nil for a member that is lost.
// Otherwise it is like Sum.
func (n *Node) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	if len(blob) > mostBytes {
		return nil, fmt.Errorf("gather: want at most %d bytes, got %d", mostBytes, len(blob))
	}
	d, err := n.call(ctx, consensus.Call{Kind: consensus.Gather, Blob: slices.Clone(blob)})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(d.Blobs))
	for i, b := range d.Blobs {
		blobs[i] = slices.Clone(b) // the machine sends the original to others
	}
	return blobs, nil
}

// TakeMissed implements collabdict.Absentee.
func (n *Node) TakeMissed() (total []float64, ok bool) {
	return n.known(func(d *consensus.Decision) bool { return !has(d, n.self) })
}

// TakeDecided implements collabdict.Replayer.
func (n *Node) TakeDecided() (total []float64, ok bool) {
	return n.known(func(d *consensus.Decision) bool { return d.Round == n.round.Load() })
}

func (n *Node) known(fits func(*consensus.Decision) bool) (total []float64, ok bool) {
	d, err := n.loop.ask(context.Background(), &request{do: func() (*consensus.Decision, error) { return n.loop.known(fits) }})
	if err != nil || d == nil { // the next call returns the error
		return nil, false
	}
	n.answer(d)
	return d.Total, true
}

// Included implements collabdict.Absentee.
func (n *Node) Included() bool { return n.included.Load() }

// Steady implements collabdict.Absentee.
func (n *Node) Steady() bool { return n.steady.Load() }

// Carried implements collabdict.Carrier.
func (n *Node) Carried() (members int, rounding float64) {
	if c := n.carried.Load(); c != nil {
		return c.Members, c.Rounding
	}
	return 0, 0
}

func (n *Node) call(ctx context.Context, c consensus.Call) (*consensus.Decision, error) {
	c.Round = n.round.Load()
	if p := n.parameters.Load(); p != nil {
		c.Parameters = *p
	}
	if _, err := rand.Read(c.Entropy[:]); err != nil {
		return nil, err
	}
	d, err := n.loop.ask(ctx, &request{event: c})
	if err != nil {
		return nil, err
	}
	n.answer(d)
	return d, nil
}

// answer keeps a summary of the last call's decision. The decision itself belongs to the
// caller; other members get it from the log.
func (n *Node) answer(d *consensus.Decision) {
	bare := *d
	bare.Total, bare.Blobs = nil, nil
	if d.Kind == consensus.Sum {
		n.included.Store(d.Counts(n.self))
		n.steady.Store(n.steadiness.Add(&bare))
		carried := n.census.Add(&bare)
		n.carried.Store(&carried)
	}
	n.answered.Store(&bare)
}

// Answer returns the decision of the last collective that has returned, without its total and
// blobs. It returns nil before the first.
func (n *Node) Answer() *consensus.Decision { return n.answered.Load() }

// Decisions calls f with every decision of the run in order, until f returns an error.
func (n *Node) Decisions(f func(*consensus.Decision) error) error {
	ranks := n.journal.Founders
	return n.journal.Each(func(d *consensus.Decision) error {
		switch d.Kind {
		case consensus.Gather:
			d.Blobs = d.Blobs[:ranks] // the log has room for later ranks
		case consensus.Amend:
			a, err := d.Amendment()
			if err != nil {
				return err
			}
			ranks += len(a.Added)
		}
		return f(d)
	})
}
