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

// A Peer is a member as the transport sees it. Its index in a list is its rank.
type Peer struct {
	ID    peer.ID
	Name  string // for the log
	Addrs []multiaddr.Multiaddr
	Gone  bool // no longer an active peer
}

// A Run is a run in which messages travel.
type Run struct {
	ID    [32]byte
	Peers []Peer // by rank, this member included
	// Deliver receives a message from another member. It may block, which holds back the
	// sender's stream.
	Deliver func(from int, m consensus.Valid)
	// Usual returns the most bytes of a message of the run so far. Larger messages are read one
	// at a time.
	Usual func() int
	// MostBlob is the most bytes of a blob.
	MostBlob int
}

// A Transport carries the messages of a run.
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

// A directory holds the present peers.
type directory struct{ atomic.Pointer[peers] }

// peers is not modified after it is stored in a directory.
type peers struct {
	ranks map[peer.ID]int // ranks of the active peers
	names []string        // by rank
	lanes []*lane         // by rank; nil for this member and for those that had left before this process began
}

func (d *directory) has(id peer.ID) bool {
	_, in := d.Load().ranks[id]
	return in
}

// lane returns the connection to a member, or nil if there is none.
func (d *directory) lane(rank int) *lane {
	if lanes := d.Load().lanes; rank < len(lanes) {
		return lanes[rank]
	}
	return nil
}

// most bounds the ranks in a message. Amendments that this member does not know yet may have
// added some.
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
		deliver: run.Deliver, usual: run.Usual, mostBlob: run.MostBlob, large: newTurns(), traffic: h.traffic, failures: h.failures, log: h.log,
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

// add assigns the next rank to a peer.
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

// Follow applies a new membership: it connects new members, and disconnects those that are
// gone. Ranks do not change.
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
			t.host.Network().ClosePeer(o.ID) // the existing connections treat it as a stranger
			t.serve(l)
		case o.Gone && old.ranks[o.ID] == rank && l != nil:
			l.stop()
			t.host.Network().ClosePeer(o.ID)
		}
	}
}

// serve starts to send to a member.
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

// Send sends a message to a member, unless an equal one is queued.
func (t *Transport) Send(to int, m consensus.Message) {
	if l := t.peers.lane(to); l != nil {
		l.putOnce(m)
	}
}

// Holds reports whether an equal message to a member is queued.
func (t *Transport) Holds(to int, m consensus.Message) bool {
	l := t.peers.lane(to)
	return l != nil && l.holds(m)
}

// Publish sends a message to all members on the control plane.
func (t *Transport) Publish(m consensus.Message) { t.control.box.put(m) }

// SendAll sends a message to each member on the data plane, where the sender can wait for its
// arrival.
func (t *Transport) SendAll(m consensus.Message) {
	for _, l := range t.peers.Load().lanes {
		if l != nil {
			l.putOnce(m)
		}
	}
}

// Forget drops the messages queued for a member, which were meant for an earlier process.
func (t *Transport) Forget(rank int) {
	if l := t.peers.lane(rank); l != nil {
		l.clear()
	}
}

// Assemble waits until all other members receive control messages. It does not wait for lost
// members: at each interval it asks lost for their ranks.
func (t *Transport) Assemble(ctx context.Context, interval time.Duration, lost func() map[int]bool) error {
	return t.control.assemble(ctx, interval, lost, func(id peer.ID) {
		if t.host.Network().Connectedness(id) == network.Connected {
			t.streams.log.Debug("a connection without control messages is replaced", "peer", id)
			_ = t.host.Network().ClosePeer(id) // reconnect dials again
		}
	})
}

// Listening returns the other members that receive control messages.
func (t *Transport) Listening() []peer.ID { return t.control.topic.ListPeers() }

// Flush waits, for at most the given time, until the last messages have left to members that
// are connected and not lost. Nothing can be sent afterwards.
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
	gone := lost() // the connection to a dead process may seem good for long
	for rank, l := range t.peers.Load().lanes {
		if l != nil && !gone[rank] && t.host.Network().Connectedness(l.to) == network.Connected {
			wait(l.done)
		}
	}
}

// expired is a time limit that has passed.
var expired = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// Wait returns when all work of the run has ended. The host must be closed and the context
// ended.
func (t *Transport) Wait() {
	t.work.Wait()
	t.streams.tasks.End(context.Background())
}
