package node

import (
	"context"
	"fmt"
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
	// answersMost bounds the hellos of one peer that are answered at a time.
	answersMost = 4
)

// helloMost returns the most bytes of a hello to and from members with an
// agreement of the given bytes: the agreement, an entry of the roster for every
// member, and room for addresses and contacts. All members agree on it.
func helloMost(size, agreement int) int {
	return min(64<<10+512*size+2*agreement, wire.MaxHello)
}

// greeter exchanges hellos with the other processes, again and again, until all
// have signed.
type greeter struct {
	*meeting
	joining  context.Context // ends with the meeting
	visits   tasks
	visiting sync.Map // peer.ID: is being visited, or has been
	answers  tasks
	asking   counts // hellos being answered, by peer

	ctx    context.Context // of the process: it goes on through the run
	cancel context.CancelFunc
	pubsub *pubsub.PubSub
	begun  chan struct{} // closed when the run has begun here
	data   *streams      // from then on
	closed chan struct{} // closed when it will not

	admission admission
	readers   readers
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
				wait = visitFirst
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

// answer is the other end of exchange. A hello that is too long is answered, so
// that its sender learns of the disagreement.
func (g *greeter) answer(s network.Stream) {
	defer g.admission.part(s.Conn())
	defer s.Close()
	if s.SetDeadline(time.Now().Add(helloTimeout)) != nil {
		return
	}
	id := s.Conn().RemotePeer()
	if !g.asking.enter(id, answersMost) {
		s.Reset()
		return
	}
	defer g.asking.leave(id)
	err := g.read(s, id)
	if _, tooLong := err.(*wire.LimitError); err != nil && !tooLong {
		g.log.Debug("no hello from a peer", "peer", id, "error", err)
		s.Reset()
		return
	}
	rest := make(chan struct{}) // closed when the peer has closed
	go func() {
		defer close(rest)
		_, _ = io.Copy(io.Discard, io.LimitReader(s, wire.MaxHello))
	}()
	if err := g.write(s, id); err != nil || s.CloseWrite() != nil {
		s.Reset()
	}
	<-rest
}

// write says hello. Contacts that have no room are left to the next one, which
// has them in another order.
func (g *greeter) write(s network.Stream, to peer.ID) error {
	h := g.hello(to)
	b, err := wire.MarshalHello(h)
	for err == nil && len(b) > g.helloMost() && len(h.Contacts) > 0 {
		h.Contacts = h.Contacts[:len(h.Contacts)/2]
		b, err = wire.MarshalHello(h)
	}
	if err != nil {
		return err
	}
	return wire.WriteMessage(s, b)
}

func (g *greeter) helloMost() int { return helloMost(g.cfg.size(), g.agreement.bytes()) }

func (g *greeter) read(s network.Stream, from peer.ID) error {
	b, err := wire.ReadMessage(s, g.helloMost())
	if tooLong, ok := err.(*wire.LimitError); ok {
		g.refuse(from, &DisagreementError{
			Peer: from.String(), Field: "the length of the agreement",
			Own: fmt.Sprintf("%d bytes", g.agreement.bytes()), Theirs: fmt.Sprintf("a hello of more than %d", tooLong.Limit),
		})
	}
	if err != nil {
		return err
	}
	h, err := wire.UnmarshalHello(b)
	if version, ok := err.(*wire.VersionError); ok {
		g.refuse(from, &RosterError{Peer: from.String(), Detail: version.Error()})
	}
	if err != nil {
		return err
	}
	if g.learn(from, h) {
		g.cut(s.Conn())
	}
	if g.knows(from) && h.Refused == "" {
		g.follow(from, h.Contacts)
	}
	return nil
}

// refuse takes in that a hello cannot be read. That ends the meeting if a member has
// sent it; a newcomer does not believe one member alone.
func (g *greeter) refuse(from peer.ID, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.admits(from):
	case g.newcomer != nil:
		g.newcomer.doubt(g.meeting, from, err)
	default:
		g.fail(err)
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
			sent.Go(func() { _ = g.exchange(ctx, id) })
		}
	}
	sent.Wait()
	g.answers.end(ctx)
}
