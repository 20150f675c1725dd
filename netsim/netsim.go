package netsim

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Config describes a simulated consortium.
type Config struct {
	Names    []string // of the participants, in rank order
	Settings consensus.Settings
	Seed     uint64
	// Latency is the mean time that a message takes; each takes between half and
	// one and a half of it. 0 means 1 ms.
	Latency time.Duration
}

// Report tells what a run cost, by participant.
type Report struct {
	Plan    *consensus.Plan
	Virtual time.Duration // from the first event to the last
	Members []Member
}

// Member is the report of one participant.
type Member struct {
	consensus.Record
	Messages int64
	Bytes    int64 // of encoded messages, without framing and encryption
	Err      error // why its part ended early
}

// Participant is the part of one participant, given its rank and its view of the
// others.
type Participant func(ctx context.Context, rank int, g collabdict.Group) error

// Run lets every participant play its part and returns when all have ended. The
// group's labels are dealt with a nonce that all participants agree on first. An
// error of one participant ends the parts of all; each member's own is in the
// report, and Run returns the first by rank that is not another's doing.
func Run(ctx context.Context, c Config, part Participant) (*Report, error) {
	if c.Latency == 0 {
		c.Latency = time.Millisecond
	}
	net, err := newNetwork(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	slots := make(chan struct{}, runtime.GOMAXPROCS(0)) // learners computing at once
	var running sync.WaitGroup
	for rank := range net.members {
		g := &net.members[rank].group
		running.Go(func() {
			g.begin(ctx, slots)
			err := participate(ctx, rank, g, c.Seed, part)
			g.end(err)
		})
	}
	net.play()
	running.Wait()
	return net.report(), net.firstError(ctx)
}

func participate(ctx context.Context, rank int, g *group, seed uint64, part Participant) error {
	nonce, err := collabdict.AgreeNonce(ctx, g, secretOf(seed, rank))
	if err != nil {
		return fmt.Errorf("nonce: %w", err)
	}
	g.nonce = &nonce
	return part(ctx, rank, g)
}

// report sums up the run.
func (n *network) report() *Report {
	r := &Report{Plan: n.members[0].machine.Plan(), Virtual: n.now}
	for i := range n.members {
		m := &n.members[i]
		r.Members = append(r.Members, Member{
			Record: m.record, Messages: m.messages, Bytes: m.bytes, Err: m.err,
		})
	}
	return r
}

// firstError returns the error that ended the run: that of a participant itself
// before one that only heard of it.
func (n *network) firstError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var heard error
	for i := range n.members {
		m := &n.members[i]
		if m.err == nil {
			continue
		}
		if !m.network {
			return fmt.Errorf("%s: %w", n.config.Names[i], m.err)
		}
		if heard == nil {
			heard = fmt.Errorf("%s: %w", n.config.Names[i], m.err)
		}
	}
	return heard
}
