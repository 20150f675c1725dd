package node

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
)

// Node is a participant in a run. Its methods are safe for concurrent use; one
// collective is under way at a time.
type Node struct {
	self       int
	roll       roll
	run        [32]byte
	mostValues int
	beat       time.Duration
	round      atomic.Uint32
	parameters atomic.Pointer[[32]byte]           // the digest of those that calls are made from
	answered   atomic.Pointer[consensus.Decision] // of the learner's last call
	included   atomic.Bool                        // this member, in the last Sum
	ended      atomic.Pointer[string]             // why the run is over here for good

	meeting   *meeting
	admission *admission
	host      host.Host
	store     *store.Store
	journal   *store.Journal
	traffic   *traffic
	loop      *loop
	streams   *streams
	gossip    *gossip
	log       *slog.Logger

	ctx       context.Context // of the process
	cancel    context.CancelFunc
	work      sync.WaitGroup // all goroutines but the host's
	published chan struct{}  // closed when the control plane's outbox is closed and empty
	ending    sync.Once
	closing   sync.Once
	closed    error
}

// Self returns this member's rank.
func (n *Node) Self() int { return n.self }

// Members returns all who are or were of the roster, in rank order.
func (n *Node) Members() []Member { return slices.Clone(n.roll.Load().members) }

// Roster returns the members as they are now, in rank order.
func (n *Node) Roster() []Member {
	all := n.roll.Load()
	var list []Member
	for rank, m := range all.members[:len(all.params.Members)] {
		if !all.removed[rank] {
			list = append(list, m)
		}
	}
	return list
}

// Changes returns how many changes of the roster have been decided.
func (n *Node) Changes() int { return len(n.roll.Load().amendments) }

// RunID returns the identity of the run, the same at all its members.
func (n *Node) RunID() [32]byte { return n.run }

// Addrs returns the multiaddrs that other members can dial.
func (n *Node) Addrs() []string { return addrsOf(n.host) }

func addrsOf(h host.Host) []string {
	var addrs []string
	for _, a := range h.Addrs() {
		addrs = append(addrs, a.String()+"/p2p/"+h.ID().String())
	}
	return addrs
}

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
	linger := max(lingerLeast*n.beat, lingerSlots*n.loop.status.Load().machine.Usual)
	ctx, cancel := context.WithTimeout(ctx, linger)
	defer cancel()
	select {
	case <-n.loop.allEnded:
	case <-ctx.Done():
		n.log.Warn("ends without having heard the end of all members", "missing", n.loop.status.Load().unfinished)
	case <-n.loop.stopped:
		return ErrClosed
	}
	n.flush()
	n.ended.Store(&finishedAsPlanned)
	return nil
}

var finishedAsPlanned = "finished as planned"

// How long a member stays at the end, in Beats and in collectives.
const (
	lingerLeast = 30
	lingerSlots = 10
)

// Leave ends this process's part in the run for now and tells the others why: a
// process that is started in the same folder goes on with the run. The others go
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

// flush lets the last messages leave, to members that are connected and not lost.
// Nothing can be sent afterwards.
func (n *Node) flush() {
	n.ending.Do(func() {
		n.gossip.box.close()
		for _, l := range n.roll.Load().lanes {
			if l != nil {
				l.close()
			}
		}
	})
	limit := time.After(flushMost)
	wait := func(done <-chan struct{}) {
		select {
		case <-done:
		case <-limit:
			limit = expired
		}
	}
	wait(n.published)
	lost := n.lost() // the connection to a process that has died may seem good for long
	for rank, l := range n.roll.Load().lanes {
		if l != nil && !lost[rank] && n.host.Network().Connectedness(l.to) == network.Connected {
			wait(l.done)
		}
	}
}

// expired is a time limit that is over.
var expired = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// Close ends the node at once: without Finish, Leave or Abort before it the others
// find a lost member, and the run can be gone on with. It leaves nothing behind but
// the files.
func (n *Node) Close() error {
	n.closing.Do(func() {
		if n.Status().State == consensus.Failed.String() {
			n.flush() // so that all members give the same reason
		}
		n.cancel()
		err := n.host.Close()
		n.work.Wait()
		n.streams.tasks.end(context.Background())
		if why := n.ended.Load(); why != nil {
			err = errors.Join(err, n.journal.End(*why))
		}
		n.closed = errors.Join(err, n.store.Close())
	})
	return n.closed
}

// post hands a message to the outboxes of its receivers. Last words go over the
// streams as well, where their arrival can be waited for.
func (n *Node) post(s consensus.Send) {
	if s.To != consensus.All {
		if l := n.roll.lane(s.To); l != nil {
			l.putOnce(s.Message)
		}
		return
	}
	n.gossip.box.put(s.Message)
	if !isLast(s.Message) {
		return
	}
	for _, l := range n.roll.Load().lanes {
		if l != nil {
			l.putOnce(s.Message)
		}
	}
}

// holds says whether a message to a member is on its way already.
func (n *Node) holds(to int, m consensus.Message) bool {
	l := n.roll.lane(to)
	return l != nil && l.holds(m)
}

// isLast says whether a message tells of the end of the sender's run.
func isLast(m consensus.Message) bool {
	switch b := m.Body.(type) {
	case *consensus.Leave:
		return true
	case *consensus.Heartbeat:
		return b.State == consensus.Finished
	}
	return false
}
