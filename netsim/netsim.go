package netsim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Config describes a simulated consortium.
type Config struct {
	Names []string // of the participants, in rank order
	// Settings say how sums are made. Protect left out means chunks.
	Settings consensus.Settings
	Seed     uint64
	// Latency is how long messages take; nil means Uniform(time.Millisecond).
	Latency Latency
	// Compute is the virtual time that a local update takes: the first call of a
	// model round is made so much later. All other computing takes none.
	Compute time.Duration
	Faults  []Fault
	// ViewTotals makes plain sums of running totals: over the members in the view alone.
	ViewTotals bool
	// Adversaries are members that do not follow the protocol, by rank.
	Adversaries map[int]Adversary
	// Observer, if not nil, is shown what happens. All calls come from one goroutine.
	Observer Observer
}

// Validate reports the first setting that cannot be; those of consensus are left to
// [consensus.Settings.Validate].
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

// Names returns n names that are in rank order, p0001 and so on.
func Names(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("p%04d", i+1)
	}
	return names
}

// Observer is shown what members do.
type Observer interface {
	// Called shows a call that enters a slot.
	Called(member int, slot uint64, c consensus.Call)
	// Sent shows every message as it leaves.
	Sent(from, to int, m consensus.Message)
	// Decided shows a decision at a member.
	Decided(member int, d *consensus.Decision)
}

// Participant is the part of one participant, given its rank and its view of the
// others. It is called once more after its member was stopped and started again.
type Participant func(ctx context.Context, rank int, g collabdict.Group) error

// Network is a simulated consortium, for one run.
type Network struct {
	loop *network
	ran  atomic.Bool
}

// New returns the network of a consortium. Its error names the first setting that
// cannot be, and says what was wanted.
func New(c Config) (*Network, error) {
	n, err := newNetwork(c)
	if err != nil {
		return nil, err
	}
	return &Network{loop: n}, nil
}

// Run lets every participant play its part and returns when all have ended. The
// group's labels are dealt with a nonce that the participants of a small roster
// agree on first. The others continue without a participant that has failed or was stopped, if they are
// enough. Each one's error is in the report, and Run returns the first by rank
// that is neither another's doing nor planned, adversaries left out. It panics when
// called again.
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
	if g.size <= consensus.SmallRoster {
		if _, _, err := collabdict.AgreeNonce(ctx, g, secretOf(seed, rank), nil); err != nil {
			return fmt.Errorf("nonce: %w", err)
		}
	}
	return part(ctx, rank, g)
}

// firstError returns the error that ended the run: that of a participant itself
// before one that only heard of it.
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
