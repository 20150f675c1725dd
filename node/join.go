package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/store"
)

// remindEvery is the time between two notes of who is there.
const remindEvery = 30 * time.Second

// Join finds the other members, agrees with them on the roster, and returns when
// the run has begun. If an earlier process has left a run in Config.Dir before its
// end, Join goes on with that, and returns when one other member of it is found: the
// collectives that were decided return at once. The context is for joining alone.
//
// What keeps members apart is an error at both sides that names the peer, the
// field and both values: *DisagreementError, *DuplicateNameError, *TooManyError,
// *StrangerError, *RosterError, *OverError, *EndedError, *JoinTimeoutError.
func Join(ctx context.Context, c Config) (*Node, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.JoinTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.JoinTimeout)
		defer cancel()
	}
	g, err := open(&c)
	if err != nil {
		return nil, err
	}
	c.Log.Info("joining", "name", c.Name, "members", c.size(), "addresses", addrsOf(g.host))
	n, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	c.Log.Info("the run has begun", "run", fmt.Sprintf("%x", n.run[:8]), "members", n.roll.Load().names())
	return n, nil
}

// enter goes on with the run that was left in the folder, or meets the others for a
// new one.
func (g *greeter) enter(ctx context.Context) (*Node, error) {
	journal, err := g.unfinished()
	if err == nil && journal != nil && g.cfg.Resume != nil {
		err = g.cfg.Resume(journal.ID)
	}
	if err != nil {
		g.close()
		return nil, err
	}
	newcomer, err := g.cfg.newcomer(g.host.ID())
	if err != nil {
		g.close()
		return nil, err
	}
	g.locked(func() {
		if journal == nil { // else the journal says who is of the run
			g.newcomer = newcomer
			g.report()
		}
	})
	if journal != nil || newcomer != nil {
		n, err := g.goOn(ctx, journal, newcomer)
		if err != nil {
			g.farewell(err)
			g.close()
			return nil, err
		}
		if err := n.agree(ctx); err != nil {
			n.Leave("it was stopped while it came back")
			return nil, errors.Join(n.late(ctx, g.cfg.JoinTimeout, err), n.Close())
		}
		return n, nil
	}
	if err := g.meet(ctx); err != nil {
		g.farewell(err)
		g.close()
		return nil, err
	}
	n, err := g.begin()
	if err != nil {
		g.close()
		return nil, err
	}
	if err := n.prepare(ctx); err != nil {
		err = n.late(ctx, g.cfg.JoinTimeout, err)
		n.Abort("could not begin the run")
		n.Close()
		return nil, err
	}
	return n, nil
}

// goOn enters a run under way: that of the journal, or as a newcomer.
func (g *greeter) goOn(ctx context.Context, journal *store.Journal, nc *newcomer) (*Node, error) {
	if journal != nil {
		return g.resume(ctx, journal)
	}
	return g.come(ctx, nc)
}

// open makes a process that can meet others. It holds the lock on its files.
func open(c *Config) (*greeter, error) {
	key, err := loadIdentity(c.Dir)
	if err != nil {
		return nil, err
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := c.checkSelf(id); err != nil {
		return nil, err
	}
	st, err := store.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	m := &meeting{
		cfg: c, agreement: c.complete(), key: key, store: st, log: c.Log, traffic: &traffic{},
		met: map[peer.ID]*acquaintance{}, came: map[peer.ID]bool{}, warned: map[string]bool{}, said: map[peer.ID]string{}, resuming: map[peer.ID][32]byte{},
		complete: make(chan struct{}), failed: make(chan struct{}), changed: make(chan struct{}),
	}
	m.consortium = m.agreement.ID()
	g := &greeter{meeting: m, begun: make(chan struct{}), closed: make(chan struct{})}
	if err := g.listen(); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// listen opens the host. Peers find all of its protocols from the beginning.
func (g *greeter) listen() (err error) {
	if _, err = rand.Read(g.process[:]); err != nil {
		return err
	}
	if len(g.cfg.Members) > 0 {
		g.admission.limit(g.cfg.Members)
	}
	if g.host, err = newHost(g.key, g.cfg.Listen, g.cfg.size(), g.traffic, &g.admission, g.cfg.links...); err != nil {
		return err
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	if g.pubsub, err = newPubSub(g.ctx, g.host, g.consortium, g.cfg.size(), &g.admission); err != nil {
		return err
	}
	g.admission.watch(g.host)
	g.host.SetStreamHandler(dataProtocol(g.consortium), g.receive)
	return nil
}

// checkSelf reports a roster that does not list this participant.
func (c *Config) checkSelf(id peer.ID) error {
	if len(c.Members) == 0 {
		return nil
	}
	named := slices.Clone(c.Members)
	for _, change := range c.Changes {
		named = append(named, change.Add...)
	}
	i := slices.IndexFunc(named, func(m Member) bool { return m.ID == id })
	if i < 0 {
		return &ConfigError{"members", "a list without " + id.String(), "this participant in it, with the peer ID of " + filepath.Join(c.Dir, identityFile)}
	}
	if named[i].Name != c.Name {
		return &ConfigError{"name", fmt.Sprintf("%q", c.Name), fmt.Sprintf("%q, as in the list of members", named[i].Name)}
	}
	return nil
}

// meet returns when all members have signed one roster.
func (g *greeter) meet(ctx context.Context) error {
	joining, cancel := context.WithCancel(ctx)
	g.joining = joining
	defer g.watchMet()()
	stop, err := g.discover()
	if err == nil {
		err = g.settle(ctx)
		stop()
	}
	cancel()
	g.visits.end(context.Background())
	return err
}

// settle waits for the end of the meeting, and says now and then who is there.
func (g *greeter) settle(ctx context.Context) error {
	remind := time.NewTicker(remindEvery)
	defer remind.Stop()
	for {
		select {
		case <-g.complete:
			return nil
		case <-g.failed:
			return g.failure
		case <-ctx.Done():
			return g.late(ctx)
		case <-remind.C:
			g.locked(func() {
				g.log.Info("waiting for members", "want", g.cfg.size(), "present", g.present(), "missing", g.missing())
			})
		}
	}
}

// late says who did not come in time.
func (g *greeter) late(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !timedOut(ctx, g.cfg.JoinTimeout) {
		return ctx.Err()
	}
	return &JoinTimeoutError{After: g.cfg.JoinTimeout, Want: g.cfg.size(), Present: g.present(), Missing: g.missing()}
}
