package netsim

import (
	"context"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// group is a participant's face of the network, from a start of its process to
// the end. The participant runs in a goroutine of its own and hands its calls to
// the one that plays the network. That one gives the member no event while the
// participant computes, so that each may look at the member's log in its turn.
type group struct {
	member *member
	rank   int
	size   int
	round  uint32
	calls  uint64              // made so far, one under way included
	last   *consensus.Decision // that was handed to the participant
	ask    chan request
	reply  chan answer
	slots  chan struct{} // held while computing
}

// request is what a participant wants next: a call, or its end.
type request struct {
	call  consensus.Call
	ended bool
	err   error
}

// answer is what a call came to.
type answer struct {
	decision *consensus.Decision
	err      error
}

var (
	_ collabdict.Group        = (*group)(nil)
	_ collabdict.RoundStarter = (*group)(nil)
	_ collabdict.Absentee     = (*group)(nil)
)

func (g *group) begin() { g.slots <- struct{}{} }

func (g *group) end(err error) {
	<-g.slots
	g.ask <- request{ended: true, err: err}
}

// Size returns the number of participants in the last call.
func (g *group) Size() int {
	if g.last == nil {
		return g.size
	}
	return len(g.last.Members)
}

// StartRound notes the model round of the calls that follow.
func (g *group) StartRound(number int) { g.round = uint32(number) }

// Sum returns the sum over the participants in the view.
func (g *group) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	d, err := g.call(ctx, consensus.Call{Kind: consensus.Sum, Values: x, Blocks: blocks})
	if err != nil {
		return nil, err
	}
	return slices.Clone(d.Total), nil // the members share it
}

// Gather returns the blobs of the participants in the view.
func (g *group) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
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

// Missed implements [collabdict.Absentee].
func (g *group) Missed() ([]float64, bool) {
	d := g.decided()
	if d == nil || d.Kind != consensus.Sum || slices.Contains(d.Members, uint32(g.rank)) {
		return nil, false
	}
	g.calls++
	g.last = d
	return slices.Clone(d.Total), true
}

// Included implements [collabdict.Absentee].
func (g *group) Included() bool {
	return g.last != nil && slices.Contains(g.last.Members, uint32(g.rank))
}

// decided returns the decision of the next call if that is known already: since
// the participant was started again, or the others went on without it.
func (g *group) decided() *consensus.Decision {
	if log := g.member.log; g.calls < uint64(len(log)) {
		return log[g.calls]
	}
	return nil
}

func (g *group) call(ctx context.Context, c consensus.Call) (*consensus.Decision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := g.decided()
	g.calls++
	if d == nil {
		c.Round = g.round
		<-g.slots
		g.ask <- request{call: c}
		a := <-g.reply
		g.slots <- struct{}{}
		if a.err != nil {
			return nil, a.err
		}
		d = a.decision
	}
	if d.Kind != c.Kind {
		return nil, fmt.Errorf("call %d is a %s here, and was decided as a %s", g.calls-1, c.Kind, d.Kind)
	}
	g.last = d
	return d, ctx.Err()
}
