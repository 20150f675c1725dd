package transport

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// Peer is a member as the transport has it. The place in a list is its rank.
type Peer struct {
	ID    peer.ID
	Name  string // for the log
	Addrs []multiaddr.Multiaddr
	Gone  bool // not an active peer any more
}

// Run is a run that messages travel in.
type Run struct {
	ID    [32]byte
	Peers []Peer // by rank, this member included
	// Deliver takes a message from another member. It may block: that holds back the
	// sender's stream.
	Deliver func(from int, m consensus.Valid)
	// Usual returns the most bytes of a message of the run so far. One larger message is
	// read at a time.
	Usual func() int
	// MostBlob is the most bytes of a blob.
	MostBlob int
}

// Transport carries the messages of a run.
type Transport struct {
	host      host.Host
	admission *Admission
	peers     *directory
	streams   *streams
	control   *control
	ctx       context.Context
	work      sync.WaitGroup
	published chan struct{} // closed when the control plane's outbox is closed and empty
	ending    sync.Once
}

// directory holds the peers as they are now.
type directory struct{ atomic.Pointer[peers] }

// peers is not modified once it is in a directory.
type peers struct {
	ranks map[peer.ID]int // of the active ones
	names []string        // by rank
	lanes []*lane         // by rank; nil for this member and those gone before this process
}

func (d *directory) has(id peer.ID) bool {
	_, in := d.Load().ranks[id]
	return in
}

// lane returns what is sent to a member through, nil if nothing is.
func (d *directory) lane(rank int) *lane {
	if lanes := d.Load().lanes; rank < len(lanes) {
		return lanes[rank]
	}
	return nil
}

// most bounds the ranks that a message may name: amendments may have given some that this
// member does not know of yet.
func (d *directory) most() int { return len(d.Load().lanes) + wire.ToCome }

func begin(ctx context.Context, h *Host, run Run) (*Transport, error) {
	t := &Transport{host: h.Host, admission: h.Admission, peers: &directory{}, ctx: ctx, published: make(chan struct{})}
	p := &peers{ranks: map[peer.ID]int{}}
	for rank, o := range run.Peers {
		p.add(rank, o, h.ID())
	}
	t.peers.Store(p)
	t.admission.Limit(slices.Collect(maps.Keys(p.ranks)))
	t.admission.expel(h.Host, h.pubsub)
	t.streams = &streams{
		host: h.Host, protocol: h.protocol, run: run.ID, peers: t.peers,
		deliver: run.Deliver, usual: run.Usual, mostBlob: run.MostBlob, large: make(chan struct{}, 1), traffic: h.traffic, failures: h.failures, log: h.log,
	}
	t.streams.blame = &blame{peers: t.peers, log: h.log}
	h.shares.begin(t.streams.blame.on)
	var err error
	t.control, err = newControl(h.pubsub, h.ID(), h.consortium, run.ID, t.peers, t.streams.blame)
	if err != nil {
		return nil, err
	}
	for _, l := range p.lanes {
		t.serve(l)
	}
	t.work.Go(func() { t.control.read(ctx, h.traffic, run.Deliver) })
	t.work.Go(func() { t.streams.reconnect(ctx) })
	t.work.Go(func() {
		defer close(t.published)
		t.control.write(ctx, h.traffic)
	})
	return t, nil
}

// add gives a peer its rank.
func (p *peers) add(rank int, o Peer, self peer.ID) {
	p.lanes, p.names = append(p.lanes, nil), append(p.names, o.Name)
	if o.Gone {
		return
	}
	p.ranks[o.ID] = rank
	if o.ID != self {
		p.lanes[rank] = newLane(o.ID)
	}
}

// Follow takes up another membership: those who have come are let in and sent to, those
// who are gone are not any more. Ranks stay what they are.
func (t *Transport) Follow(list []Peer) {
	old := t.peers.Load()
	next := &peers{ranks: map[peer.ID]int{}, names: slices.Clone(old.names), lanes: slices.Clone(old.lanes)}
	for rank, o := range list {
		if rank >= len(old.lanes) {
			next.add(rank, o, t.host.ID())
			t.host.Peerstore().AddAddrs(o.ID, o.Addrs, peerstore.PermanentAddrTTL)
		} else if !o.Gone {
			next.ranks[o.ID] = rank
		}
	}
	t.admission.Limit(slices.Collect(maps.Keys(next.ranks)))
	t.peers.Store(next)
	for rank, o := range list {
		switch l := next.lanes[rank]; {
		case rank >= len(old.lanes):
			t.host.Network().ClosePeer(o.ID) // it was a stranger on the connections that there are
			t.serve(l)
		case o.Gone && old.ranks[o.ID] == rank && l != nil:
			l.stop()
			t.host.Network().ClosePeer(o.ID)
		}
	}
}

// serve begins to send to a member.
func (t *Transport) serve(l *lane) {
	if l == nil {
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	l.stop = stop
	t.work.Go(func() {
		defer stop()
		t.streams.writeTo(ctx, l)
	})
}

// Send sends a message to a member, unless the same one is on its way.
func (t *Transport) Send(to int, m consensus.Message) {
	if l := t.peers.lane(to); l != nil {
		l.putOnce(m)
	}
}

// Holds reports whether a message to a member is on its way already.
func (t *Transport) Holds(to int, m consensus.Message) bool {
	l := t.peers.lane(to)
	return l != nil && l.holds(m)
}

// Publish sends a message to all members on the control plane.
func (t *Transport) Publish(m consensus.Message) { t.control.box.put(m) }

// SendAll sends a message to each member on the data plane, where its arrival can be
// waited for.
func (t *Transport) SendAll(m consensus.Message) {
	for _, l := range t.peers.Load().lanes {
		if l != nil {
			l.putOnce(m)
		}
	}
}

// Forget drops what waits for a member: it was meant for an earlier process.
func (t *Transport) Forget(rank int) {
	if l := t.peers.lane(rank); l != nil {
		l.clear()
	}
}

// Assemble waits until all other members listen to the control plane, but for those that
// count as lost, by rank, which are asked for at intervals.
func (t *Transport) Assemble(ctx context.Context, interval time.Duration, lost func() map[int]bool) error {
	return t.control.assemble(ctx, interval, lost)
}

// Listening returns the other members that listen to the control plane.
func (t *Transport) Listening() []peer.ID { return t.control.topic.ListPeers() }

// Flush lets the last messages leave, to members that are connected and not lost, for at
// most the given time. Nothing can be sent afterwards.
func (t *Transport) Flush(most time.Duration, lost func() map[int]bool) {
	t.ending.Do(func() {
		t.control.box.close()
		for _, l := range t.peers.Load().lanes {
			if l != nil {
				l.close()
			}
		}
	})
	limit := time.After(most)
	wait := func(done <-chan struct{}) {
		select {
		case <-done:
		case <-limit:
			limit = expired
		}
	}
	wait(t.published)
	gone := lost() // the connection to a process that has died may seem good for long
	for rank, l := range t.peers.Load().lanes {
		if l != nil && !gone[rank] && t.host.Network().Connectedness(l.to) == network.Connected {
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

// Wait returns when nothing of the run is under way any more. The host is closed, and the
// context has ended.
func (t *Transport) Wait() {
	t.work.Wait()
	t.streams.tasks.End(context.Background())
}
