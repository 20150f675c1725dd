package rendezvous

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// HelloProtocol is the name of the protocol for hellos.
const HelloProtocol = "/collabdict/hello/1"

const (
	helloTimeout = 10 * time.Second // for one exchange
	visitLate    = 300 * time.Millisecond
	visitFirst   = 100 * time.Millisecond
	visitMost    = 2 * time.Second  // between two exchanges with one peer
	visitEarly   = 30 * time.Second // the same with a member already met, before a run may begin
	visitVain    = 8                // failed exchanges with a peer that only others have named
	// strangersHello bounds the bytes that are read from a stranger before the stream is
	// closed, so that the stranger can read the answer.
	strangersHello = 64 << 10
	// AnswersMost bounds the hellos of one peer that are answered at once.
	AnswersMost = 4
)

// helloMost returns the most bytes of a hello between members whose agreement has the given
// length in bytes. It has room for the agreement, one roster entry per member, addresses and
// contacts. The bound is the same at all members.
func helloMost(size, agreement int) int {
	return min(64<<10+512*size+2*agreement, wire.MaxHello)
}

// visit sends a peer this process's news until there is no more. If both processes may have
// found each other at the same time, one of them waits a little, so that they do not connect
// twice.
func (r *Rendezvous) visit(id peer.ID, atOnce bool) {
	ctx := r.joining
	if ctx.Err() != nil || !r.configured(id) && r.visiting.size() >= r.peersMost() || !r.visiting.enter(id, 1) {
		return
	}
	r.visits.Start(func() {
		defer r.visiting.leave(id)
		if !atOnce && r.cfg.Host.ID() > id {
			select {
			case <-ctx.Done():
			case <-time.After(visitLate):
			}
		}
		vain := 0
		for wait := visitFirst; ctx.Err() == nil && !r.done(id) && (vain < visitVain || r.configured(id)); wait = pause(wait, r.rest(id)) {
			news := r.news()
			vain++
			if err := r.exchange(ctx, id); err != nil {
				r.unanswered(ctx, id, err)
			} else {
				vain = 0
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

// pause returns the time until the next exchange with a peer, given the last pause. In the time
// rest, nothing is needed from the peer.
func pause(last, rest time.Duration) time.Duration {
	return min(2*last, max(visitMost, min(visitEarly, rest)))
}

// rest returns how long nothing is needed from a peer. If it is met and connected, that is the
// time until a run may begin.
func (m *registry) rest(id peer.ID) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.records[id]; a == nil || a.unreachable {
		return 0
	}
	return m.early()
}

// exchange says hello to a peer and reads its answer.
func (r *Rendezvous) exchange(ctx context.Context, id peer.ID) error {
	return r.converse(ctx, id, func(s network.Stream) error {
		if err := r.write(s, r.hello(id)); err != nil {
			return err
		}
		return r.read(s, id)
	})
}

// converse opens a stream to a peer for hellos and calls f with it, within helloTimeout.
func (r *Rendezvous) converse(ctx context.Context, id peer.ID, f func(network.Stream) error) error {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	if n, ok := r.cfg.Host.Network().(*swarm.Swarm); ok {
		n.Backoff().Clear(id) // the visits set their own pace
	}
	s, err := r.cfg.Host.NewStream(ctx, id, HelloProtocol)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { s.Reset() })
	defer stop()
	defer s.Close() // closing tells the peer that its answer has arrived
	return f(s)
}

// answer is the other end of exchange. It also answers a hello that is too long or of another
// version, so that the sender learns of the disagreement.
func (r *Rendezvous) answer(s network.Stream) {
	defer r.cfg.Host.Admission.Part(s.Conn())
	defer s.Close()
	if s.SetDeadline(time.Now().Add(helloTimeout)) != nil {
		return
	}
	id := s.Conn().RemotePeer()
	if !r.asking.enter(id, AnswersMost) {
		s.Reset()
		return
	}
	defer r.asking.leave(id)
	most := int64(wire.MaxHello)
	if r.knows(id) {
		err := r.read(s, id)
		_, tooLong := err.(*wire.LimitError)
		if _, other := err.(*wire.VersionError); err != nil && !tooLong && !other {
			r.cfg.Log.Debug("cannot read a peer's hello", "peer", id, "error", err)
			s.Reset()
			return
		}
	} else { // a stranger's hello is not read
		most = strangersHello
		r.locked(func() {
			r.warn("stranger "+id.String(), "a process that the roster does not list is refused", "peer", id)
		})
	}
	rest := make(chan struct{}) // closed when the peer has closed
	go func() {
		defer close(rest)
		_, _ = io.Copy(io.Discard, io.LimitReader(s, most))
	}()
	if err := r.write(s, r.hello(id)); err != nil || s.CloseWrite() != nil {
		s.Reset()
	}
	<-rest
}

// write sends a hello. Contacts that do not fit are left for the next hello, which has them in
// another order.
func (r *Rendezvous) write(s network.Stream, h wire.Hello) error {
	b, err := wire.MarshalHello(h)
	for err == nil && len(b) > r.helloMost() && len(h.Contacts) > 0 {
		h.Contacts = h.Contacts[:len(h.Contacts)/2]
		b, err = wire.MarshalHello(h)
	}
	if err != nil {
		return err
	}
	return wire.WriteMessage(s, b)
}

func (r *Rendezvous) helloMost() int { return helloMost(r.cfg.Size, r.cfg.Agreement.Bytes()) }

func (r *Rendezvous) read(s network.Stream, from peer.ID) error {
	b, err := wire.ReadMessage(s, r.helloMost())
	if tooLong, ok := err.(*wire.LimitError); ok {
		r.refuse(from, &DisagreementError{
			Peer: from.String(), Field: "the length of the agreement",
			Own: fmt.Sprintf("%d bytes", r.cfg.Agreement.Bytes()), Theirs: fmt.Sprintf("a hello of more than %d", tooLong.Limit),
		})
	}
	if err != nil {
		return err
	}
	h, err := wire.UnmarshalHello(b)
	if version, ok := err.(*wire.VersionError); ok {
		r.refuse(from, &RosterError{Peer: from.String(), Detail: version.Error()})
	} else if err != nil {
		r.garbled(from, err)
	}
	if err != nil {
		return err
	}
	if h.Probe {
		return nil // a probe takes no part
	}
	if r.learn(from, h) {
		r.cut(s.Conn())
	}
	if r.knows(from) && h.Refused == "" {
		r.follow(from, h.Contacts)
		r.gossiped(h.Contacts)
	}
	return nil
}

// unanswered records that a peer has sent no hello. The failure is logged only for members,
// since an address from other processes may be out of date.
func (r *Rendezvous) unanswered(ctx context.Context, id peer.ID, err error) {
	r.cfg.Log.Debug("a peer has not answered the hello yet", "peer", id, "error", err)
	if ctx.Err() == nil && r.configured(id) && r.cfg.Host.Network().Connectedness(id) != network.Connected {
		var name string
		r.locked(func() { name = r.nameOf(id) })
		r.cfg.Host.Failed(id, name, err)
	}
}

// garbled logs, once, a member whose hello cannot be decoded. A peer that has proven the secret
// is not a stranger.
func (r *Rendezvous) garbled(from peer.ID, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if (r.listed() || r.cfg.Proven) && r.admits(from) {
		r.warn("garbled "+from.String(), "cannot read a member's hello", "peer", membership.Describe(r.nameOf(from), from), "error", err)
	}
}

// refuse records a hello that cannot be read.
func (r *Rendezvous) refuse(from peer.ID, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.admits(from):
	case r.newcomer != nil:
		r.newcomer.doubt(r.registry, from, err)
	case r.resumed != nil:
		r.warn("apart "+from.String(), "cannot read a member's hello", "reason", err)
	default:
		r.object(from, wire.Hello{}, err)
	}
}

// Farewell sends the connected peers the reason why this process gives up.
func (r *Rendezvous) Farewell(reason error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r.mu.Lock()
	r.leaving = reason.Error()
	var known []peer.ID
	for id := range r.records {
		known = append(known, id)
	}
	r.mu.Unlock()
	var sent sync.WaitGroup
	for _, id := range known {
		if r.cfg.Host.Network().Connectedness(id) == network.Connected {
			sent.Go(func() { _ = r.exchange(ctx, id) })
		}
	}
	sent.Wait()
	r.answers.End(ctx)
}
