package node

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// A Node is a participant in a run. Its methods are safe for concurrent use. Only one
// collective may run at a time.
type Node struct {
	self       int
	mostValues int
	published  [][]byte // by rank of the founders, agreed with the nonce; nil if the roster is large
	heartbeat  time.Duration
	round      atomic.Uint32
	parameters atomic.Pointer[[32]byte]              // digest of the parameters that the next call is made from
	answered   atomic.Pointer[consensus.Decision]    // decision of the learner's last call
	membership atomic.Pointer[collabdict.Membership] // in the learner's last call
	steadiness consensus.Steadiness                  // for the learner's calls
	census     consensus.Census                      // for the learner's calls

	members    *membership.Current
	host       *transport.Host
	transport  *transport.Transport
	rendezvous *rendezvous.Rendezvous
	store      *store.Store
	state      *store.RunState
	head       func() []byte // Config.Head
	loop       *loop
	log        *slog.Logger

	cancel  context.CancelFunc // ends the process
	work    sync.WaitGroup     // the goroutines of the loop
	closing sync.Once
	closed  error
}

// Self returns this member's rank.
func (n *Node) Self() int { return n.self }

// Members returns all present and removed members, in rank order.
func (n *Node) Members() []Member { return slices.Clone(n.members.Load().All) }

// Roster returns the present members, in rank order.
func (n *Node) Roster() []Member {
	all := n.members.Load()
	var list []Member
	for rank, m := range all.All[:len(all.Params.Members)] {
		if !all.Removed[rank] {
			list = append(list, m)
		}
	}
	return list
}

// Changes returns the number of changes of the roster that have been decided.
func (n *Node) Changes() int { return len(n.members.Load().Amendments) }

// RunID returns the identity of the run, the same at all its members.
func (n *Node) RunID() [32]byte { return n.state.ID }

// Published returns the bytes from Config.Publish of each founder, by rank; nil for a member
// that was lost at that moment. If the roster has more than [consensus.SmallRoster] members,
// nobody publishes anything, and Published returns nil.
func (n *Node) Published() [][]byte { return n.published }

// Addrs returns the multiaddrs that other members can dial.
func (n *Node) Addrs() []string { return n.host.Dialable() }

// Traffic returns the amounts that the node has sent and received so far.
func (n *Node) Traffic() Traffic { return n.host.Traffic() }

// flushMost bounds the wait for the last messages to arrive.
const flushMost = 2 * time.Second

// Finish ends the run as planned. It continues to help the others until each has finished, has
// left or is lost, for at most 30 heartbeats or 10 times the usual time of a collective,
// whichever is longer. Status and the log name the members that it waits for. The caller must
// still call Close.
func (n *Node) Finish(ctx context.Context) error {
	if _, err := n.loop.ask(ctx, &request{event: consensus.Finish{}}); err != nil {
		return err
	}
	linger := max(lingerLeast*n.heartbeat, lingerSlots*n.loop.status.Load().machine.Usual)
	ctx, cancel := context.WithTimeout(ctx, linger)
	defer cancel()
	select {
	case <-n.loop.allEnded:
	case <-ctx.Done():
		n.log.Warn("ends, though some members have not reported their end", "missing", n.loop.status.Load().unfinished)
	case <-n.loop.inbox.stopped:
		return ErrClosed
	}
	n.flush()
	n.loop.over.Store(&finishedAsPlanned)
	return nil
}

var finishedAsPlanned = "finished as planned"

// These bound the wait at the end: in heartbeats, and in times of a collective.
const (
	lingerLeast = 30
	lingerSlots = 10
)

// Leave ends this process's part in the run for now and sends the others the reason. A process
// that is started in the same folder resumes the run. The others continue without this member
// if enough of them are left, and wait for it otherwise. A collective that is running returns a
// *consensus.AbortError. The caller must still call Close.
func (n *Node) Leave(reason string) { n.abort(consensus.Abort{Reason: reason, Returns: true}) }

// Abort ends this member's part in the run for good and sends the others the reason. Otherwise
// it is like Leave.
func (n *Node) Abort(reason string) { n.abort(consensus.Abort{Reason: reason}) }

func (n *Node) abort(ev consensus.Abort) {
	ctx, cancel := context.WithTimeout(context.Background(), flushMost)
	defer cancel()
	if _, err := n.loop.ask(ctx, &request{event: ev}); err == nil {
		n.flush()
	}
}

// flush waits until the last messages have left. Nothing can be sent afterwards.
func (n *Node) flush() { n.transport.Flush(flushMost, n.loop.lost) }

// Close ends the node at once and leaves nothing behind but the files. Without a Finish, Leave
// or Abort before it, the others see a lost member, and the run can be resumed.
func (n *Node) Close() error {
	n.closing.Do(func() {
		if n.Status().State == consensus.Failed.String() {
			n.flush() // so that all members report the same reason
		}
		n.cancel()
		err := n.host.Close()
		n.rendezvous.Close()
		n.work.Wait()
		n.transport.Wait()
		n.loop.background.End(context.Background())
		if why := n.loop.over.Load(); why != nil {
			if n.head != nil {
				n.state.Head = n.head()
			}
			err = errors.Join(err, n.state.End(*why))
		}
		n.closed = errors.Join(err, n.store.Close())
	})
	return n.closed
}
