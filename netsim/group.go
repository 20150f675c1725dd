package netsim

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// group is a participant's face of the network. The participant runs in a
// goroutine of its own and hands its calls to the one that plays the network.
type group struct {
	size  int
	round uint32
	nonce *[32]byte // to be set on the machine before the next call
	ask   chan request
	reply chan *consensus.Outcome
	slots chan struct{} // held while computing
}

// request is what a participant wants next: a call, or its end.
type request struct {
	call  consensus.Call
	nonce *[32]byte
	ended bool
	err   error
}

var (
	_ collabdict.Group        = (*group)(nil)
	_ collabdict.RoundStarter = (*group)(nil)
)

func (g *group) begin(_ context.Context, slots chan struct{}) {
	g.slots = slots
	g.slots <- struct{}{}
}

func (g *group) end(err error) {
	<-g.slots
	g.ask <- request{ended: true, err: err}
}

// Size returns the number of participants.
func (g *group) Size() int { return g.size }

// StartRound notes the model round of the calls that follow.
func (g *group) StartRound(number int) { g.round = uint32(number) }

// Sum returns the sum over all participants.
func (g *group) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	out, err := g.call(ctx, consensus.Call{Kind: consensus.Sum, Values: x, Blocks: blocks})
	if err != nil {
		return nil, err
	}
	return append([]float64(nil), out.Total...), nil // the machines share the sealer's
}

// Gather returns all participants' blobs.
func (g *group) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	out, err := g.call(ctx, consensus.Call{Kind: consensus.Gather, Blob: blob})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(out.Blobs))
	for i, b := range out.Blobs {
		blobs[i] = append([]byte(nil), b...)
	}
	return blobs, nil
}

func (g *group) call(ctx context.Context, c consensus.Call) (*consensus.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.Round = g.round
	<-g.slots
	g.ask <- request{call: c, nonce: g.nonce}
	g.nonce = nil
	out := <-g.reply
	g.slots <- struct{}{}
	if out.Err != nil {
		return nil, out.Err
	}
	return out, ctx.Err()
}
