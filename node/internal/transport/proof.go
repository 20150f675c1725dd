package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/pnet"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/libp2p/go-libp2p/p2p/transport/tcpreuse"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/node/internal/secret"
)

// With a secret, the host uses a connection only when both ends have proven that they know the
// secret, on the connection's first stream. Before that, nothing else is read from its streams,
// and no protocol of the host can be reached or even named. A peer that proves nothing is
// disconnected.
//
// This happens for every connection, beneath the host. A member that comes back proves the
// secret again, and nothing has to be remembered about a peer.

const (
	// proofTimeout is how long a peer may take to prove the secret.
	proofTimeout = 10 * time.Second
	// unprovenMost bounds the peers without the secret that are logged, since a stranger can
	// have any number of peer IDs.
	unprovenMost = 32
)

// transports returns the transports of connections. Without a secret nothing has to be proven.
func transports(c Config) ([]libp2p.Option, error) {
	sockets, err := webSockets()
	if err != nil {
		return nil, err
	}
	if c.Secret == nil {
		return []libp2p.Option{libp2p.Transport(newQUIC), libp2p.Transport(tcp.NewTCPTransport), libp2p.Transport(sockets)}, nil
	}
	id, err := peer.IDFromPrivateKey(c.Key)
	if err != nil {
		return nil, err
	}
	p := &prover{party: secret.Party{Secret: c.Secret, ID: id, Agreement: c.Consortium}, log: c.Log, logged: map[peer.ID]bool{}}
	return []libp2p.Option{
		libp2p.Transport(func(key crypto.PrivKey, m *quicreuse.ConnManager, psk pnet.PSK, g connmgr.ConnectionGater, r network.ResourceManager) (transport.Transport, error) {
			t, err := newQUIC(key, m, psk, g, r)
			return &provenTransport{t, p}, err
		}),
		libp2p.Transport(func(u transport.Upgrader, r network.ResourceManager, shared *tcpreuse.ConnMgr) (transport.Transport, error) {
			t, err := tcp.NewTCPTransport(u, r, shared)
			return &provenTransport{t, p}, err
		}),
		libp2p.Transport(func(u transport.Upgrader, r network.ResourceManager, shared *tcpreuse.ConnMgr) (transport.Transport, error) {
			t, err := sockets(u, r, shared)
			return &provenSockets{provenTransport{t, p}, t}, err
		}),
	}, nil
}

// A prover exchanges proofs with the peers at the other ends of connections.
type prover struct {
	party  secret.Party
	log    *slog.Logger
	mu     sync.Mutex
	logged map[peer.ID]bool // peers that were logged
}

// prove returns nil if both ends of a new connection know the secret. Otherwise it closes the
// connection. The end that was dialled is the responder.
func (p *prover) prove(ctx context.Context, c network.MuxedConn, other peer.ID, dialled bool) error {
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.Close() }) // which interrupts the exchange
	err := p.exchange(ctx, c, other, dialled)
	if !stop() {
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		p.tell(other, err)
		c.Close()
	}
	return err
}

func (p *prover) exchange(ctx context.Context, c network.MuxedConn, other peer.ID, dialled bool) error {
	if dialled {
		s, err := c.AcceptStream()
		if err != nil {
			return err
		}
		defer s.Close()
		if err = p.party.Respond(s, other); errors.Is(err, secret.ErrWrong) && s.CloseWrite() == nil {
			_, _ = s.Read(make([]byte, 1)) // wait until the peer has read the refusal and closes
		}
		return err
	}
	s, err := c.OpenStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return p.party.Initiate(s, other)
}

// tell logs a peer without the secret, once. It ignores errors of connections that ended for
// other reasons.
func (p *prover) tell(other peer.ID, err error) {
	if !errors.Is(err, secret.ErrStrange) && !errors.Is(err, secret.ErrWrong) && !errors.Is(err, secret.ErrRefused) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.logged) < unprovenMost && !p.logged[other] {
		p.logged[other] = true
		p.log.Warn("a peer without this run's secret is refused", "peer", other, "error", err)
	}
}

// A provenTransport makes connections only to peers that know the secret.
type provenTransport struct {
	transport.Transport
	prover *prover
}

// provenSockets is a provenTransport that resolves names like the transport beneath it.
type provenSockets struct {
	provenTransport
	names
}

// names has the methods of a transport that decide how names are resolved.
type names interface {
	transport.Resolver
	transport.SkipResolver
}

func (t *provenTransport) Dial(ctx context.Context, to multiaddr.Multiaddr, id peer.ID) (transport.CapableConn, error) {
	c, err := t.Transport.Dial(ctx, to, id)
	if err != nil {
		return nil, err
	}
	if err := t.prover.prove(ctx, c, c.RemotePeer(), false); err != nil {
		return nil, err
	}
	return c, nil
}

func (t *provenTransport) Listen(addr multiaddr.Multiaddr) (transport.Listener, error) {
	inner, err := t.Transport.Listen(addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &provenListener{Listener: inner, cancel: cancel, proven: make(chan transport.CapableConn), ended: make(chan struct{})}
	l.work.Go(func() { l.accept(ctx, t.prover) })
	return l, nil
}

// Close closes the transport beneath, if it can be closed.
func (t *provenTransport) Close() error {
	if c, ok := t.Transport.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// A provenListener accepts the connections whose peers have proven the secret. The resource
// manager counts and bounds unfinished proofs like all other connections.
type provenListener struct {
	transport.Listener
	cancel context.CancelFunc
	proven chan transport.CapableConn
	ended  chan struct{} // closed with err
	err    error         // error of the listener beneath
	work   sync.WaitGroup
}

func (l *provenListener) accept(ctx context.Context, p *prover) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			l.err = err
			close(l.ended)
			return
		}
		l.work.Go(func() {
			if p.prove(ctx, c, c.RemotePeer(), true) != nil {
				return
			}
			select {
			case l.proven <- c:
			case <-ctx.Done():
				c.Close()
			}
		})
	}
}

func (l *provenListener) Accept() (transport.CapableConn, error) {
	select {
	case c := <-l.proven:
		return c, nil
	case <-l.ended:
		return nil, l.err
	}
}

func (l *provenListener) Close() error {
	l.cancel()
	err := l.Listener.Close()
	l.work.Wait()
	return err
}
