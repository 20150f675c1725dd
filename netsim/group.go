package netsim

import (
	"context"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// A group is a participant's view of the network, from one start of its process to its end. The
// participant runs in its own goroutine and passes its calls to the network's goroutine. With
// each answer it receives all decisions of its member so far, and takes the answers to later
// calls from them.
type group struct {
	rank  int
	round uint32
	// parameters is the digest of the parameters that the following calls are made from.
	parameters [32]byte
	// updated is the last round whose local update was made. updates counts the local updates
	// that have not taken virtual time yet.
	updated    uint32
	updates    int
	calls      uint64                // calls made so far, the current one included
	known      []*consensus.Decision // decisions known, by call
	membership collabdict.Membership // of the last call
	steadiness consensus.Steadiness
	census     consensus.Census
	views      bool // whether running totals are plain sums
	over       bool // the network has received its end; only the network uses this
	ask        chan request
	reply      chan answer
	slots      chan struct{} // held while the participant computes
}

// A request is a participant's next call, or its end.
type request struct {
	call    consensus.Call
	updates int // local updates since the last request
	ended   bool
	err     error
}

// An answer is the result of a call, and all decisions up to then.
type answer struct {
	decision *consensus.Decision
	known    []*consensus.Decision
	err      error
}

var _ collabdict.Group = (*group)(nil)

func (g *group) begin() { g.slots <- struct{}{} }

func (g *group) end(err error) {
	<-g.slots
	g.ask <- request{ended: true, err: err, updates: g.updates}
}

// Membership describes the last call.
func (g *group) Membership() collabdict.Membership { return g.membership }

// StartRound sets the model round of the following calls.
func (g *group) StartRound(number int, parameters [32]byte) {
	g.round, g.parameters = uint32(number), parameters
}

// Sum returns the sum over the participants in the view, or the running total. If the network sums
// over views alone, it returns the sum over the view.
func (g *group) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	c := consensus.Call{Kind: consensus.Sum, Values: s.Values, Blocks: s.Blocks}
	if !g.views {
		c.Running = s.Running
	}
	d, err := g.call(ctx, c)
	if err != nil {
		return nil, err
	}
	return slices.Clone(d.Total), nil // the members share the original
}

// Gather returns the blobs of the participants in the view.
func (g *group) Gather(ctx context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	d, err := g.call(ctx, consensus.Call{Kind: consensus.Gather, Blob: blob})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(d.Blobs))
	for i, b := range d.Blobs {
		blobs[i] = slices.Clone(b)
	}
	return blobs, nil
}

// TakeMissed implements [collabdict.Group].
func (g *group) TakeMissed() ([]float64, bool) {
	if d := g.decided(); d == nil || included(d, g.rank) {
		return nil, false
	}
	return g.TakeDecided()
}

// TakeDecided implements [collabdict.Group].
func (g *group) TakeDecided() ([]float64, bool) {
	d := g.decided()
	if d == nil || d.Kind != consensus.Sum {
		return nil, false
	}
	g.calls++
	g.note(d)
	return slices.Clone(d.Total), true
}

// note records a decision as the answer to a call.
func (g *group) note(d *consensus.Decision) {
	m := &g.membership
	m.Size = len(d.Members)
	if d.Kind == consensus.Sum {
		m.Included, m.Steady = d.Counts(g.rank), g.steadiness.Add(d)
		m.Counted, m.Rounding = g.census.Add(d)
	}
}

// decided returns the decision of the next call if it is known already: because the participant
// was restarted, or because the others have continued without it.
func (g *group) decided() *consensus.Decision {
	if g.calls < uint64(len(g.known)) {
		return g.known[g.calls]
	}
	return nil
}

func (g *group) call(ctx context.Context, c consensus.Call) (*consensus.Decision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.round > g.updated {
		g.updated = g.round
		g.updates++
	}
	d := g.decided()
	g.calls++
	if d == nil {
		c.Round, c.Parameters = g.round, g.parameters
		<-g.slots
		g.ask <- request{call: c, updates: g.updates}
		a := <-g.reply
		g.slots <- struct{}{}
		if a.err != nil {
			return nil, a.err
		}
		d, g.known, g.updates = a.decision, a.known, 0
	}
	if d.Kind != c.Kind {
		return nil, fmt.Errorf("call %d: got a %s, want a %s, as was decided", g.calls-1, c.Kind, d.Kind)
	}
	g.note(d)
	return d, ctx.Err()
}

func included(d *consensus.Decision, rank int) bool {
	_, in := slices.BinarySearch(d.Members, uint32(rank))
	return in
}
