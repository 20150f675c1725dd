package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/store"
)

// assembleMost bounds the wait for all members to listen to the control plane.
// The Beats make up for messages lost after that.
const assembleMost = 15 * time.Second

// receive takes a data stream. Another member may know the roster to be complete
// before this one does: its stream waits.
func (g *greeter) receive(s network.Stream) {
	if !g.admission.has(s.Conn().RemotePeer()) {
		s.Reset()
		return
	}
	done := g.readers.replace(s)
	defer done()
	select {
	case <-g.begun:
	case <-g.closed:
		s.Reset()
		return
	}
	if !g.data.tasks.run(func() { g.data.accept(s) }) {
		s.Reset()
	}
}

// close ends a process that has not begun a run.
func (g *greeter) close() error {
	close(g.closed)
	if g.cancel != nil {
		g.cancel()
	}
	var err error
	if g.host != nil {
		err = g.host.Close()
	}
	return errors.Join(err, g.store.Close())
}

// begin starts this member's part in the run that all have signed.
func (g *greeter) begin() (*Node, error) {
	g.mu.Lock()
	r := store.Run{ID: g.roster.run(), Consortium: g.consortium}
	for rank, e := range g.roster.entries {
		m := store.Member{Name: e.Name, ID: e.ID, Process: e.Process}
		if id := peer.ID(e.ID); id == g.host.ID() {
			r.Self, m.Addrs = rank, addrsOf(g.host)
		} else {
			m.Addrs = g.met[id].hello.Addrs
		}
		r.Members = append(r.Members, m)
	}
	g.mu.Unlock()
	if _, err := rand.Read(r.Secret[:]); err != nil {
		return nil, err
	}
	journal, err := g.store.Begin(r)
	if err != nil {
		return nil, err
	}
	return g.take(journal)
}

// take takes up this member's part in a run as its journal has it.
func (g *greeter) take(journal *store.Journal) (*Node, error) {
	n := &Node{
		run: journal.ID, self: journal.Self, host: g.host, store: g.store, journal: journal, traffic: g.traffic, log: g.log,
		beat: cmp.Or(g.cfg.Beat, time.Second), // as consensus.Params has it
	}
	words := 1
	if g.cfg.Settings.Parity {
		words = 2
	}
	n.mostValues = wire.MaxWords / words
	var names []string
	for _, m := range journal.Members {
		n.members = append(n.members, Member{Name: m.Name, ID: peer.ID(m.ID), Addrs: m.Addrs})
		names = append(names, m.Name)
	}
	machine, err := g.machine(n, names)
	if err != nil {
		return nil, err
	}
	if n.loop, err = newLoop(machine, n.beat/2, words, names, n); err != nil {
		return nil, err
	}
	g.admission.limit(n.members)
	g.admission.expel(g.host, g.pubsub)
	n.streams = newStreams(g.consortium, n)
	n.cancel = g.cancel
	if n.gossip, err = newGossip(g.pubsub, g.host.ID(), g.consortium, n.run, n.streams.ranks, g.log); err != nil {
		return nil, err
	}
	n.start(g.ctx, n.beat)
	g.data = n.streams
	g.locked(func() { g.onReturn = n.welcome })
	close(g.begun)
	return n, nil
}

// machine returns the machine of the run, in the slot that the disk tells.
func (g *greeter) machine(n *Node, names []string) (*consensus.Machine, error) {
	keys, err := newKeys(g.key, n.members)
	if err != nil {
		return nil, err
	}
	saved, err := n.journal.Saved()
	if err != nil {
		return nil, err
	}
	var entropy [32]byte
	if _, err := rand.Read(entropy[:]); err != nil {
		return nil, err
	}
	return consensus.Resume(consensus.Params{
		Settings: g.cfg.Settings, Self: n.self, Members: names, Run: n.run, Keys: keys, Beat: n.beat, Patience: g.cfg.Patience, Volatile: g.cfg.Durability == InMemory,
	}, saved, entropy)
}

// start sets everything going.
func (n *Node) start(ctx context.Context, beat time.Duration) {
	n.work.Go(func() { n.loop.main(ctx) })
	n.work.Go(func() { n.loop.pulse(ctx, beat, n.gossip.box.put) })
	n.work.Go(func() { n.gossip.read(ctx, n.traffic, n.loop.deliver) })
	n.work.Go(func() { n.streams.reconnect(ctx) })
	n.published = make(chan struct{})
	n.work.Go(func() {
		defer close(n.published)
		n.gossip.write(ctx, n.traffic)
	})
	for rank, lane := range n.streams.lanes {
		if lane != nil {
			n.work.Go(func() {
				defer close(lane.done)
				n.streams.writeTo(ctx, rank)
			})
		}
	}
}

// prepare waits until the first messages can reach everybody, and draws the public
// value that deals the labels of all sessions: these follow from all that was
// decided before.
func (n *Node) prepare(ctx context.Context) error {
	assemble, cancel := context.WithTimeout(ctx, assembleMost)
	defer cancel()
	if err := n.gossip.assemble(assemble, n.beat, n.lost); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n.log.Warn("not all members listen to the control plane yet", "error", err)
	}
	return n.agree(ctx)
}

// agree makes the first two collectives of a run, unless its roster is large. A
// process that was started again has the same secret as the one before.
func (n *Node) agree(ctx context.Context) error {
	if len(n.members) > consensus.SmallRoster {
		return nil
	}
	if _, err := collabdict.AgreeNonce(ctx, n, n.journal.Secret); err != nil {
		return fmt.Errorf("agree on labels: %w", err)
	}
	return nil
}

// late says who could not be reached in time after all have signed, if that is
// why prepare has failed with the error.
func (n *Node) late(ctx context.Context, limit time.Duration, err error) error {
	if !timedOut(ctx, limit) {
		return err
	}
	missing := map[string]bool{}
	for _, w := range n.Status().Waiting {
		missing[w.Name] = true
	}
	if len(missing) == 0 { // not even the first collective was begun
		there := n.gossip.topic.ListPeers()
		for _, m := range n.members {
			missing[m.Name] = m.ID != n.host.ID() && !slices.Contains(there, m.ID)
		}
	}
	e := &JoinTimeoutError{After: limit, Want: len(n.members)}
	for _, m := range n.members {
		if who := describe(m.Name, m.ID); missing[m.Name] {
			e.Missing = append(e.Missing, who)
		} else {
			e.Present = append(e.Present, who)
		}
	}
	if e.Missing == nil {
		return err
	}
	return e
}

// timedOut says whether a Join's own limit has ended its context.
func timedOut(ctx context.Context, limit time.Duration) bool {
	return limit > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
}
