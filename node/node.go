package node

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// Node is a participant in a run. Its methods are safe for concurrent use; one
// collective is under way at a time.
type Node struct {
	self       int
	mostValues int
	published  [][]byte // by founders, with their commitments; nil of a large roster
	heartbeat  time.Duration
	round      atomic.Uint32
	parameters atomic.Pointer[[32]byte]           // the digest of those that calls are made from
	answered   atomic.Pointer[consensus.Decision] // of the learner's last call
	included   atomic.Bool                        // this member's vector, in the last total
	steady     atomic.Bool                        // the last total is over the same members as the one before
	steadiness consensus.Steadiness               // the learner's
	carried    atomic.Pointer[consensus.Carried]  // of the last total
	census     consensus.Census                   // the learner's

	members    *membership.Current
	host       *transport.Host
	transport  *transport.Transport
	rendezvous *rendezvous.Rendezvous
	store      *store.Store
	journal    *store.Journal
	loop       *loop
	log        *slog.Logger

	cancel  context.CancelFunc // of the process
	work    sync.WaitGroup     // of the loop
	closing sync.Once
	closed  error
}

// Self returns this member's rank.
func (n *Node) Self() int { return n.self }

// Members returns all who are or were of the roster, in rank order.
func (n *Node) Members() []Member { return slices.Clone(n.members.Load().All) }

// Roster returns the members as they are now, in rank order.
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

// Changes returns how many changes of the roster have been decided.
func (n *Node) Changes() int { return len(n.members.Load().Amendments) }

// RunID returns the identity of the run, the same at all its members.
func (n *Node) RunID() [32]byte { return n.journal.ID }

// Published returns what Config.Publish of each member that the run began with has given,
// by rank; nil for one that was lost at that moment. In a roster of more than
// [consensus.SmallRoster] members nobody publishes anything, and it returns nil.
func (n *Node) Published() [][]byte { return n.published }

// Addrs returns the multiaddrs that other members can dial.
func (n *Node) Addrs() []string { return n.host.Dialable() }

// Traffic returns what the node has sent and received so far.
func (n *Node) Traffic() Traffic { return n.host.Traffic() }

// flushMost bounds the wait for last messages to arrive.
const flushMost = 2 * time.Second

// Finish ends the run as planned. It stays to help the others until all of them
// have finished or left or are lost, for at most a few times of what a collective
// takes. Status and log name those that are waited for. Close still has to be
// called.
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
		n.log.Warn("ends without having heard the end of all members", "missing", n.loop.status.Load().unfinished)
	case <-n.loop.inbox.stopped:
		return ErrClosed
	}
	n.flush()
	n.loop.over.Store(&finishedAsPlanned)
	return nil
}

var finishedAsPlanned = "finished as planned"

// How long a member stays at the end, in heartbeats and in collectives.
const (
	lingerLeast = 30
	lingerSlots = 10
)

// Leave ends this process's part in the run for now and tells the others why: a
// process that is started in the same folder resumes the run. The others go
// on without this member if enough of them are left, and wait for it otherwise. A
// collective under way returns a *consensus.AbortError. Close still has to be
// called.
func (n *Node) Leave(reason string) { n.abort(consensus.Abort{Reason: reason, Returns: true}) }

// Abort ends this member's part in the run for good and tells the others why.
// Otherwise it is as Leave.
func (n *Node) Abort(reason string) { n.abort(consensus.Abort{Reason: reason}) }

func (n *Node) abort(ev consensus.Abort) {
	ctx, cancel := context.WithTimeout(context.Background(), flushMost)
	defer cancel()
	if _, err := n.loop.ask(ctx, &request{event: ev}); err == nil {
		n.flush()
	}
}

// flush lets the last messages leave. Nothing can be sent afterwards.
func (n *Node) flush() { n.transport.Flush(flushMost, n.loop.lost) }

// Close ends the node at once: without Finish, Leave or Abort before it the others
// find a lost member, and the run can be resumed. It leaves nothing behind but
// the files.
func (n *Node) Close() error {
	n.closing.Do(func() {
		if n.Status().State == consensus.Failed.String() {
			n.flush() // so that all members give the same reason
		}
		n.cancel()
		err := n.host.Close()
		n.rendezvous.Close()
		n.work.Wait()
		n.transport.Wait()
		n.loop.background.End(context.Background())
		if why := n.loop.over.Load(); why != nil {
			err = errors.Join(err, n.journal.End(*why))
		}
		n.closed = errors.Join(err, n.store.Close())
	})
	return n.closed
}
