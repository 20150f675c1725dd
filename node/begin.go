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
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
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
	r := store.Run{ID: g.roster.run(), Consortium: g.consortium, Founders: len(g.roster.entries)}
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
	journal, err := g.record(r)
	if err != nil {
		return nil, err
	}
	n := g.node(journal)
	members, err := g.members(n)
	if err != nil {
		return nil, err
	}
	n.roll.Store(members)
	return n, g.take(n)
}

// record draws the secret of a new run and writes the run down.
func (g *greeter) record(r store.Run) (*store.Journal, error) {
	if _, err := rand.Read(r.Secret[:]); err != nil {
		return nil, err
	}
	if g.cfg.Begin != nil {
		if err := g.cfg.Begin(r.ID); err != nil {
			return nil, err
		}
	}
	return g.store.Begin(r)
}

// node returns this member's part in a run as its journal has it, not taken up.
func (g *greeter) node(journal *store.Journal) *Node {
	return &Node{
		run: journal.ID, self: journal.Self, host: g.host, store: g.store, journal: journal, traffic: g.traffic, log: g.log,
		meeting: g.meeting, admission: &g.admission, ctx: g.ctx, cancel: g.cancel,
		beat: cmp.Or(g.cfg.Beat, time.Second), // as consensus.Params has it
	}
}

// take takes up this member's part in a run.
func (g *greeter) take(n *Node) error {
	words := 1
	if g.cfg.Settings.Parity {
		words = 2
	}
	n.mostValues = wire.MaxWords / words
	machine, err := g.machine(n)
	if err != nil {
		return err
	}
	if n.loop, err = newLoop(machine, n.beat/2, words, n); err != nil {
		return err
	}
	g.admission.limit(n.roll.Load().active())
	g.admission.expel(g.host, g.pubsub)
	n.streams = newStreams(g.consortium, n)
	if n.gossip, err = newGossip(g.pubsub, g.host.ID(), g.consortium, n.run, &n.roll, g.log); err != nil {
		return err
	}
	n.loop.founding, n.loop.changes = g.cfg.Settings, g.cfg.Changes
	g.locked(func() { // before the loop writes to the journal
		for _, m := range n.journal.Members[n.journal.Founders:] {
			if m.Came {
				g.came[peer.ID(m.ID)] = true
			}
		}
	})
	n.start(g.ctx, n.beat)
	g.data = n.streams
	g.locked(func() {
		g.onFound, g.onReturn, g.roll = n.reached, n.welcome, &n.roll
		if g.resumed != nil { // those found already
			for id, a := range g.met {
				n.reached(id, a.hello.Addrs)
			}
		}
	})
	close(g.begun)
	return nil
}

// members returns who is of the run as the journal has it, with the ways to them.
func (g *greeter) members(n *Node) (*membership, error) {
	m, err := newMembership(n.journal, consensus.Params{
		Settings: g.cfg.Settings, Self: n.self, Run: n.run, Keys: &keys{own: g.key, roll: &n.roll},
		Heartbeat: n.beat, Patience: g.cfg.Patience, Volatile: g.cfg.Durability == InMemory,
	})
	if err != nil {
		return nil, err
	}
	m.lanes = make([]*lane, len(m.members))
	for rank, o := range m.members {
		if rank != n.self && !m.removed[rank] {
			m.lanes[rank] = newLane(o.ID)
		}
	}
	return m, nil
}

// machine returns the machine of the run, in the slot that the disk tells.
func (g *greeter) machine(n *Node) (*consensus.Machine, error) {
	saved, err := n.journal.Saved()
	if err != nil {
		return nil, err
	}
	var entropy [32]byte
	if _, err := rand.Read(entropy[:]); err != nil {
		return nil, err
	}
	return consensus.Resume(*n.roll.Load().params, saved, entropy)
}

// start sets everything going.
func (n *Node) start(ctx context.Context, beat time.Duration) {
	for _, lane := range n.roll.Load().lanes { // the loop serves those that come
		n.serve(lane)
	}
	n.work.Go(func() { n.loop.main(ctx) })
	n.work.Go(func() { n.loop.pulse(ctx, beat, n.gossip.box.put) })
	n.work.Go(func() { n.gossip.read(ctx, n.traffic, n.loop.deliver) })
	n.work.Go(func() { n.streams.reconnect(ctx) })
	n.published = make(chan struct{})
	n.work.Go(func() {
		defer close(n.published)
		n.gossip.write(ctx, n.traffic)
	})
}

// serve begins to send to a member.
func (n *Node) serve(l *lane) {
	if l == nil {
		return
	}
	ctx, stop := context.WithCancel(n.ctx)
	l.stop = stop
	n.work.Go(func() {
		defer stop()
		n.streams.writeTo(ctx, l)
	})
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
	if n.journal.Founders > consensus.SmallRoster {
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
		for _, m := range n.Members() {
			missing[m.Name] = m.ID != n.host.ID() && !slices.Contains(there, m.ID)
		}
	}
	e := &JoinTimeoutError{After: limit, Want: len(n.Members())}
	for _, m := range n.Members() {
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
