package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
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
	r := g.roster
	n := &Node{run: r.run(), host: g.host, store: g.store, traffic: g.traffic, log: g.log}
	for rank, e := range r.entries {
		id := peer.ID(e.ID)
		addrs := addrsOf(g.host)
		if id == g.host.ID() {
			n.self = rank
		} else {
			addrs = g.met[id].hello.Addrs
		}
		n.members = append(n.members, Member{Name: e.Name, ID: id, Addrs: addrs})
	}
	g.mu.Unlock()

	beat := cmp.Or(g.cfg.Beat, time.Second) // as consensus.Params has it
	n.linger = cmp.Or(g.cfg.Lost, 20*time.Second)
	machine, err := consensus.New(consensus.Params{
		Settings: g.cfg.Settings, Self: n.self, Members: r.names(), Run: n.run, Beat: beat, Lost: n.linger,
	})
	if err != nil {
		return nil, err
	}
	n.loop = newLoop(machine, beat/2, r.names(), n)
	g.admission.limit(n.members)
	g.admission.expel(g.host, g.pubsub)
	n.streams = newStreams(g.consortium, n)
	n.cancel = g.cancel
	if n.gossip, err = newGossip(g.pubsub, g.host.ID(), g.consortium, n.run, n.streams.ranks, g.log); err != nil {
		return nil, err
	}
	n.start(g.ctx, beat)
	g.data = n.streams
	close(g.begun)
	return n, nil
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

// prepare waits until the first messages can reach everybody, and draws the
// labels' nonce.
func (n *Node) prepare(ctx context.Context) error {
	assemble, cancel := context.WithTimeout(ctx, assembleMost)
	defer cancel()
	if err := n.gossip.assemble(assemble); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n.log.Warn("not all members listen to the control plane yet", "error", err)
	}
	return n.agreeNonce(ctx)
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
	e := &JoinTimeoutError{After: limit, Want: n.Size()}
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
