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

var _ collabdict.Group = (*Node)(nil)

// mostBytes is the most that a member accepts from another in one Gather.
const mostBytes = 1 << 20

// Membership describes the last collective.
func (n *Node) Membership() collabdict.Membership {
	if m := n.membership.Load(); m != nil {
		return *m
	}
	return collabdict.Membership{Size: n.state.Founders}
}

// StartRound assigns the following collectives to a model round.
func (n *Node) StartRound(number int, parameters [32]byte) {
	n.round.Store(uint32(number))
	n.parameters.Store(&parameters)
}

// Sum returns the total of the members' values. A member that fails during the sum may be left out; if
// too few members are left, Sum waits for them. In a process that resumes a run, calls that the
// run has decided already return at once.
//
// Sum does not copy the values, and uses them until it returns. If ctx ends first, the collective
// continues in the background, and the node accepts only Leave, Abort and Close.
func (n *Node) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	if len(s.Values) > n.mostValues {
		return nil, fmt.Errorf("sum: want at most %d values, got %d", n.mostValues, len(s.Values))
	}
	if len(s.Blocks) > wire.MaxBlocks {
		return nil, fmt.Errorf("sum: want at most %d blocks, got %d", wire.MaxBlocks, len(s.Blocks))
	}
	d, err := n.call(ctx, consensus.Call{Kind: consensus.Sum, Running: s.Running, Values: s.Values, Blocks: slices.Clone(s.Blocks)})
	if err != nil {
		if ctx.Err() != nil { // the collective needs the values, which the caller may modify after this return
			_ = n.loop.do(context.Background(), n.loop.copyValues)
		}
		return nil, err
	}
	return d.Total, nil
}

// Gather returns the members' blobs by rank, each at most 1 MiB; nil for a member that is lost.
// Otherwise it is like Sum.
func (n *Node) Gather(ctx context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
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

// TakeMissed implements [collabdict.Group].
func (n *Node) TakeMissed() (total []float64, ok bool) {
	return n.takeKnown(func(d *consensus.Decision) bool { return !slices.Contains(d.Members, uint32(n.self)) })
}

// TakeDecided implements [collabdict.Group].
func (n *Node) TakeDecided() (total []float64, ok bool) {
	return n.takeKnown(func(d *consensus.Decision) bool { return d.Round == n.round.Load() })
}

// takeKnown returns the total of the next Sum if its decision is known and fits. The Sum then counts
// as called.
func (n *Node) takeKnown(fits func(*consensus.Decision) bool) (total []float64, ok bool) {
	var d *consensus.Decision
	err := n.loop.do(context.Background(), func() (err error) { d, err = n.loop.takeKnown(fits); return err })
	if err != nil || d == nil { // the next call returns the error
		return nil, false
	}
	n.noteAnswer(d)
	return d.Total, true
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
	n.noteAnswer(d)
	return d, nil
}

// noteAnswer keeps a summary of the last call's decision. The decision itself belongs to the
// caller; other members get it from the log.
func (n *Node) noteAnswer(d *consensus.Decision) {
	bare := *d
	bare.Total, bare.Blobs = nil, nil
	m := n.Membership()
	m.Size = len(d.Members)
	if d.Kind == consensus.Sum {
		m.Included, m.Steady = d.Counts(n.self), n.steadiness.Add(&bare)
		m.Counted, m.Rounding = n.census.Add(&bare)
	}
	n.membership.Store(&m)
	n.answered.Store(&bare)
}

// Answer returns the decision of the last collective that has returned, without its total and
// blobs. It returns nil before the first.
func (n *Node) Answer() *consensus.Decision { return n.answered.Load() }

// Decisions calls f with every decision of the run in order, until f returns an error.
func (n *Node) Decisions(f func(*consensus.Decision) error) error {
	ranks := n.state.Founders
	return n.state.Each(func(d *consensus.Decision) error {
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
