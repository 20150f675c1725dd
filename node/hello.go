package node

import (
	"context"
	"io"
	"sync"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"

	"github.com/collabdict/collabdict/internal/wire"
)

const helloProtocol = "/collabdict/hello/1"

const (
	helloTimeout = 10 * time.Second // for one exchange
	visitLate    = 300 * time.Millisecond
	visitFirst   = 100 * time.Millisecond
	visitMost    = 2 * time.Second // between two exchanges with one peer
)

// greeter exchanges hellos with the other processes, again and again, until all
// have signed.
type greeter struct {
	*meeting
	joining  context.Context // ends with the meeting
	visits   tasks
	visiting sync.Map // peer.ID: is being visited, or has been
	answers  tasks

	ctx    context.Context // of the process: it goes on through the run
	cancel context.CancelFunc
	pubsub *pubsub.PubSub
	begun  chan struct{} // closed when the run has begun here
	data   *streams      // from then on
	closed chan struct{} // closed when it will not

	admission admission
}

// visit keeps telling a peer what is new until it has nothing to tell any more.
// Where both may have heard of each other at the same time, one of them waits a
// little, so that they need not connect twice.
func (g *greeter) visit(id peer.ID, atOnce bool) {
	ctx := g.joining
	if _, already := g.visiting.LoadOrStore(id, true); already {
		return
	}
	g.visits.start(func() {
		if !atOnce && g.host.ID() > id {
			select {
			case <-ctx.Done():
			case <-time.After(visitLate):
			}
		}
		for wait := visitFirst; ctx.Err() == nil && !g.done(id); wait = min(2*wait, visitMost) {
			news := g.news()
			if err := g.exchange(ctx, id); err != nil {
				g.log.Debug("no hello from a peer yet", "peer", id, "error", err)
			}
			select {
			case <-ctx.Done():
			case <-news:
			case <-time.After(wait):
			}
		}
	})
}

// exchange says hello to a peer and takes in its answer.
func (g *greeter) exchange(ctx context.Context, id peer.ID) error {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	if n, ok := g.host.Network().(*swarm.Swarm); ok {
		n.Backoff().Clear(id) // the visits have a rhythm of their own
	}
	s, err := g.host.NewStream(ctx, id, helloProtocol)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { s.Reset() })
	defer stop()
	defer s.Close() // which tells the peer that its answer has arrived
	if err := g.write(s, id); err != nil {
		return err
	}
	return g.read(s, id)
}

// answer is the other end of exchange.
func (g *greeter) answer(s network.Stream) {
	defer g.admission.part(s.Conn())
	defer s.Close()
	if s.SetDeadline(time.Now().Add(helloTimeout)) != nil {
		return
	}
	id := s.Conn().RemotePeer()
	if err := g.read(s, id); err != nil {
		g.log.Debug("no hello from a peer", "peer", id, "error", err)
		s.Reset()
		return
	}
	if err := g.write(s, id); err != nil || s.CloseWrite() != nil {
		s.Reset()
		return
	}
	io.Copy(io.Discard, io.LimitReader(s, 1)) // until the peer has closed
}

func (g *greeter) write(s network.Stream, to peer.ID) error {
	b, err := wire.MarshalHello(g.hello(to))
	if err != nil {
		return err
	}
	return wire.WriteMessage(s, b)
}

func (g *greeter) read(s network.Stream, from peer.ID) error {
	b, err := wire.ReadMessage(s, wire.MaxHello)
	if err != nil {
		return err
	}
	h, err := wire.UnmarshalHello(b)
	if version, ok := err.(*wire.VersionError); ok {
		g.refuseVersion(from, version)
	}
	if err != nil {
		return err
	}
	g.learn(from, h)
	if g.admits(from) && h.Refused == "" {
		g.follow(from, h.Contacts)
	}
	return nil
}

// refuseVersion ends the meeting if a member speaks another version.
func (g *greeter) refuseVersion(from peer.ID, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.admits(from) {
		g.fail(&RosterError{Peer: from.String(), Detail: err.Error()})
	}
}

// farewell tells the others why this process gives up, as far as they can be
// reached at once.
func (g *greeter) farewell(reason error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	g.mu.Lock()
	g.leaving = reason.Error()
	var known []peer.ID
	for id := range g.met {
		known = append(known, id)
	}
	g.mu.Unlock()
	var sent sync.WaitGroup
	for _, id := range known {
		if g.host.Network().Connectedness(id) == network.Connected {
			sent.Go(func() { g.exchange(ctx, id) })
		}
	}
	sent.Wait()
	g.answers.end(ctx)
}
