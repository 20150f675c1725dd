package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
)

// failAfter is how long dials of a peer may fail before they are logged, since members do not
// start at the same moment.
const failAfter = 10 * time.Second

// failures logs failed dials: all addresses of a peer in one line, and again only if an address has
// a new reason and the peer has been unreachable for twice as long, until the peer is connected.
type failures struct {
	log    *slog.Logger
	mu     sync.Mutex
	byPeer map[peer.ID]*failing
}

// failing is a peer whose dials fail.
type failing struct {
	since  time.Time
	next   time.Duration // since then, for the next line of the log
	logged map[Failure]bool
	last   []Failure
}

// A Failure is a failed dial.
type Failure struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

func newFailures(h host.Host, log *slog.Logger) *failures {
	f := &failures{log: log, byPeer: map[peer.ID]*failing{}}
	h.Network().Notify(&network.NotifyBundle{ConnectedF: func(_ network.Network, c network.Conn) { f.reached(c.RemotePeer()) }})
	return f
}

func (f *failures) reached(id peer.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byPeer, id)
}

// failed records a failed dial of a peer.
func (f *failures) failed(now time.Time, id peer.ID, name string, err error) {
	list := dialFailures(err)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.byPeer[id]
	if p == nil {
		p = &failing{since: now, next: failAfter, logged: map[Failure]bool{}}
		f.byPeer[id] = p
	}
	p.last = list
	long := now.Sub(p.since)
	if long < p.next || !slices.ContainsFunc(list, func(e Failure) bool { return !p.logged[e] }) {
		return
	}
	p.next = 2 * long
	var tried []string
	for _, e := range list {
		if len(p.logged) < 64 {
			p.logged[e] = true
		}
		tried = append(tried, e.Address+": "+e.Reason)
	}
	f.log.Warn("cannot reach a member: check that it runs, its addresses, and the firewalls on the way", "name", name, "peer", id, "tried", strings.Join(tried, "; "))
}

func (f *failures) lastOf(id peer.ID) []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.byPeer[id]; p != nil {
		return p.last
	}
	return nil
}

// dialFailures returns the addresses of a dial error, with the reason for each. It returns none
// if the context has ended, which is no fault of the peer.
func dialFailures(err error) (list []Failure) {
	dial, ok := errors.AsType[*swarm.DialError](err)
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return nil
	case !ok || len(dial.DialErrors) == 0:
		reason := err.Error()
		if errors.Is(err, swarm.ErrNoAddresses) {
			reason = "no known address, or none that can be dialled"
		}
		return []Failure{{"any address", reason}}
	}
	for _, e := range dial.DialErrors {
		list = append(list, Failure{e.Address.String(), reasonOf(e.Cause)})
	}
	slices.SortFunc(list, func(a, b Failure) int { return strings.Compare(a.Address, b.Address) })
	return list
}

// reasonOf shortens the system's error of a dial: "dial tcp4 0.0.0.0:0->192.0.2.1:80: connect:
// connection refused" becomes "connection refused". Without this, the local ports would make
// each error a new reason. The ways in which an answer is late are one reason.
func reasonOf(err error) string {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return "no answer in time"
	}
	text := err.Error()
	if i := strings.LastIndex(text, "connect: "); i >= 0 {
		return text[i+len("connect: "):]
	}
	if _, after, ok := strings.Cut(text, "->"); ok {
		if _, after, ok := strings.Cut(after, ": "); ok {
			return after
		}
	}
	return text
}

// Failed records a failed dial of a peer, for the log.
func (h *Host) Failed(id peer.ID, name string, err error) {
	h.failures.failed(time.Now(), id, name, err)
}

// Failures returns the errors of the last dial of a peer that is not connected.
func (h *Host) Failures(id peer.ID) []Failure { return h.failures.lastOf(id) }
