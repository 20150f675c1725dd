package netsim

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Config describes a simulated consortium.
type Config struct {
	Names    []string // of the participants, in rank order
	Settings consensus.Settings
	Seed     uint64
	// Latency is how long messages take; nil means Uniform(time.Millisecond).
	Latency Latency
	// Compute is the virtual time that a local update takes: the first call of a
	// model round is made so much later. All other computing takes none.
	Compute time.Duration
	Faults  []Fault
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

// Report tells what a run cost, by participant.
type Report struct {
	Plan    *consensus.Plan // for all members
	Rules   consensus.Rules
	Virtual time.Duration // from the first event to the last
	Members []Member
}

// Member is the report of one participant.
type Member struct {
	consensus.Record
	// Decisions are all slots that it knows, in order. They are shared between
	// members and not to be modified.
	Decisions []*consensus.Decision
	Messages  int64
	Bytes     int64 // of encoded messages, without framing and encryption
	Err       error // why its part ended early
}

// Participant is the part of one participant, given its rank and its view of the
// others. It is called once more after its member was stopped and started again.
type Participant func(ctx context.Context, rank int, g collabdict.Group) error

// Run lets every participant play its part and returns when all have ended. The
// group's labels are dealt with a nonce that the participants of a small roster
// agree on first. The others go on without a participant that has failed or was stopped, if they are
// enough. Each one's error is in the report, and Run returns the first by rank
// that is neither another's doing nor planned, adversaries left out.
func Run(ctx context.Context, c Config, part Participant) (*Report, error) {
	net, err := newNetwork(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	net.part = func(rank int, g *group) error { return participate(ctx, rank, g, c.Seed, part) }
	net.play()
	net.running.Wait()
	return net.report(), net.firstError(ctx)
}

func participate(ctx context.Context, rank int, g *group, seed uint64, part Participant) error {
	if g.size <= consensus.SmallRoster {
		if _, err := collabdict.AgreeNonce(ctx, g, secretOf(seed, rank)); err != nil {
			return fmt.Errorf("nonce: %w", err)
		}
	}
	return part(ctx, rank, g)
}

// report sums up the run.
func (n *network) report() *Report {
	r := &Report{Rules: n.config.Settings.Rules(len(n.members)), Virtual: n.now}
	r.Plan, _ = n.plans[0].For(len(n.members)) // worked out before
	for _, m := range n.members {
		r.Members = append(r.Members, Member{
			Record: m.record, Decisions: m.log, Messages: m.messages, Bytes: m.bytes, Err: m.err,
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
	for i, m := range n.members {
		if m.err == nil || m.err == ErrStopped || m.adversary != nil {
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
