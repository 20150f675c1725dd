package node

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

var (
	_ collabdict.Group        = (*Node)(nil)
	_ collabdict.RoundStarter = (*Node)(nil)
)

const (
	// mostValues of a Sum fit one message, with room for a little more in
	// wire.MaxPayload.
	mostValues = 1 << 25
	// mostBytes of a Gather are what a member takes from another at any time,
	// since that one may have gone on to the next collective already.
	mostBytes = 1 << 20
	// envelope is room for what a message holds beside its values or blob.
	envelope = 1 << 10
)

// Size returns the number of members of the run.
func (n *Node) Size() int { return len(n.members) }

// StartRound says that the collectives from now on belong to a model round.
func (n *Node) StartRound(number int) { n.round.Store(uint32(number)) }

// Sum returns the sum of all members' x. If ctx ends first, the collective goes
// on without its caller: nothing but Abort and Close is of use afterwards. A
// member that is lost, leaves or sends nonsense ends the run, with a
// *consensus.LostError or *consensus.MemberError at every member.
func (n *Node) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if len(x) > mostValues {
		return nil, fmt.Errorf("sum: want at most %d values, got %d", mostValues, len(x))
	}
	out, err := n.call(ctx, consensus.Call{Kind: consensus.Sum, Values: slices.Clone(x), Blocks: slices.Clone(blocks)})
	if err != nil {
		return nil, err
	}
	return slices.Clone(out.Total), nil // messages that still wait to leave share the original
}

// Gather returns all members' blobs, of at most 1 MiB each, by rank. Its errors
// are those of Sum.
func (n *Node) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	if len(blob) > mostBytes {
		return nil, fmt.Errorf("gather: want at most %d bytes, got %d", mostBytes, len(blob))
	}
	out, err := n.call(ctx, consensus.Call{Kind: consensus.Gather, Blob: slices.Clone(blob)})
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(out.Blobs))
	for i, b := range out.Blobs {
		blobs[i] = slices.Clone(b)
	}
	return blobs, nil
}

func (n *Node) call(ctx context.Context, c consensus.Call) (consensus.Outcome, error) {
	c.Round = n.round.Load()
	if _, err := rand.Read(c.Entropy[:]); err != nil {
		return consensus.Outcome{}, err
	}
	return n.loop.ask(ctx, &request{event: c})
}

// agreeNonce draws the public value that deals the labels of all sessions.
func (n *Node) agreeNonce(ctx context.Context) error {
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return err
	}
	nonce, err := collabdict.AgreeNonce(ctx, n, secret)
	if err != nil {
		return fmt.Errorf("agree on labels: %w", err)
	}
	_, err = n.loop.ask(ctx, &request{do: func(m *consensus.Machine) { m.SetNonce(nonce) }})
	return err
}
