package netsim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Config describes a simulated consortium.
type Config struct {
	Names    []string           // names of the participants, in rank order
	Settings consensus.Settings // of the sums
	Seed     uint64
	// Latency determines how long messages take; nil means Uniform(time.Millisecond).
	Latency Latency
	// Compute is the virtual time of a local update: it delays the first call of a model round.
	// All other computing takes none.
	Compute time.Duration
	Faults  []Fault
	// ViewTotals turns running totals into plain sums, over the members of the view alone.
	ViewTotals bool
	// Adversaries holds, by rank, the members that do not follow the protocol.
	Adversaries map[int]Adversary
	// Observer, if not nil, receives the events of the run. All calls come from one goroutine.
	Observer Observer
}

// Validate returns an error for the first invalid setting. It leaves the settings of consensus
// to [consensus.Settings.Validate].
func (c Config) Validate() error {
	size := len(c.Names)
	if err := checkTime("compute", c.Compute); err != nil {
		return err
	}
	if c.Latency != nil {
		if err := c.Latency.Check(size); err != nil {
			return err
		}
	}
	for rank := range c.Adversaries {
		if err := checkMember(rank, size); err != nil {
			return fmt.Errorf("adversary: %w", err)
		}
	}
	for _, f := range c.Faults {
		if err := f.check(size); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", f), "netsim.")), err)
		}
	}
	return nil
}

// Names returns n names in rank order: p0001 and so on.
func Names(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("p%04d", i+1)
	}
	return names
}

// An Observer receives the events of a run.
type Observer interface {
	// Called is called with each call that enters a slot.
	Called(member int, slot uint64, c consensus.Call)
	// Sent is called with each message as it leaves.
	Sent(from, to int, m consensus.Message)
	// Decided is called with each decision of a member, and the member's vector that is counted in
	// the running total of the decision; nil if there is none.
	Decided(member int, d *consensus.Decision, counted []float64)
}

// A Participant is the part of one participant, given its rank and its group. It is called
// again when its member restarts.
type Participant func(ctx context.Context, rank int, g collabdict.Group) error

// A Network is a simulated consortium, for one run.
type Network struct {
	loop *network
	ran  atomic.Bool
}

// New returns the network of a consortium. Its error names the first invalid setting, with the
// value wanted.
func New(c Config) (*Network, error) {
	n, err := newNetwork(c)
	if err != nil {
		return nil, err
	}
	return &Network{loop: n}, nil
}

// Run runs the part of every participant and returns when all have ended. In a small roster the
// participants first agree on a nonce, from which the labels follow. If a participant fails or
// is stopped, the others continue if they are enough. Each participant's error is in the
// report. Run returns the first error, by rank, that is neither planned nor caused by another
// member; it ignores the errors of adversaries. It panics when called a second time.
func (x *Network) Run(ctx context.Context, part Participant) (*Report, error) {
	if x.ran.Swap(true) {
		panic("netsim: a network is for one run")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := x.loop
	n.part = func(rank int, g *group) error { return participate(ctx, rank, g, n.config.Seed, part) }
	n.play()
	n.running.Wait()
	return n.report(), n.firstError(ctx)
}

// Now returns the virtual time of the last decision. It may be called while the
// network runs.
func (x *Network) Now() time.Duration { return time.Duration(x.loop.reached.Load()) }

func participate(ctx context.Context, rank int, g *group, seed uint64, part Participant) error {
	if g.membership.Size <= consensus.SmallRoster {
		if _, _, err := collabdict.AgreeNonce(ctx, g, secretOf(seed, rank), nil); err != nil {
			return fmt.Errorf("nonce: %w", err)
		}
	}
	return part(ctx, rank, g)
}

// firstError returns the error that ended the run. A participant's own error comes before one
// that was caused by another member.
func (n *network) firstError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var heard error
	for i, m := range n.members {
		if m.err == nil || errors.Is(m.err, ErrStopped) || m.adversary != nil {
			continue
		}
		err := fmt.Errorf("%s: %w", n.config.Names[i], m.err)
		if !m.network {
			return err
		}
		if heard == nil {
			heard = err
		}
	}
	return heard
}

// An Adversary is a member that follows the protocol except in what Call and Send change.
type Adversary interface {
	// Call returns the call that the member makes in place of its own.
	Call(c consensus.Call) consensus.Call
	// Send returns the messages that the member sends to another one in place of m; none if it
	// keeps silent. The message and its contents are shared and must not be modified.
	Send(to int, m consensus.Message, r *rand.Rand) []consensus.Message
}
