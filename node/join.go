package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// Join finds the other members, agrees with them on the roster, and returns when the run has
// begun. If Config.Dir holds an unfinished run, Join resumes it and returns once one other
// member of that run is found; collectives that were decided then return at once. The context
// applies to Join alone.
//
// If members do not fit together, Join returns an error at both sides that names the peer, the
// field and both values: *DisagreementError, *DuplicateNameError, *TooManyError,
// *StrangerError, *RosterError, *OverError, *EndedError or *JoinTimeoutError.
func Join(ctx context.Context, c Config) (*Node, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.JoinTimeout > 0 {
		var cancel context.CancelFunc
		from := time.Now()
		if c.BeginAt.After(from) {
			from = c.BeginAt
		}
		ctx, cancel = context.WithDeadline(ctx, from.Add(c.JoinTimeout))
		defer cancel()
	}
	p, err := open(&c)
	if err != nil {
		return nil, err
	}
	if c.Open {
		c.Log.Warn("anyone on this network can take a seat: use a secret or a list of members to prevent that")
	}
	c.Log.Info("joining", "name", c.Name, "members", c.Size(), "addresses", p.host.Dialable())
	n, err := p.enter(ctx)
	if err != nil {
		return nil, err
	}
	c.Log.Info("the run has begun", "run", fmt.Sprintf("%x", n.state.ID[:8]), "members", n.members.Load().Names())
	return n, nil
}

// A joiner is a process before its run has begun: a host that others can find, and the files.
type joiner struct {
	cfg        *Config
	key        crypto.PrivKey
	consortium [32]byte
	store      *store.Store
	host       *transport.Host
	rendezvous *rendezvous.Rendezvous
	ctx        context.Context
	cancel     context.CancelFunc
	beginAt    time.Time // start of the new run that the joiner waits for
}

// open starts a process that can meet others. It holds the lock on its files.
func open(c *Config) (*joiner, error) {
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
	s, err := store.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	agreement := c.complete()
	p := &joiner{cfg: c, key: key, consortium: agreement.ID(), store: s}
	if p.host, err = c.listen(key, p.consortium); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.rendezvous, err = rendezvous.New(p.ctx, rendezvous.Config{
		Name: c.Name, Size: c.Size(), Members: c.Members, Proven: c.Secret != nil, Changes: c.Changes, Peers: c.Peers, MDNS: c.MDNS, Agreement: agreement,
		Settings: c.Settings, Early: p.early, Timeout: c.JoinTimeout, Key: key, Host: p.host, Store: s, Log: c.Log, OnPresence: p.report,
	})
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// listen opens the host of a process.
func (c *Config) listen(key crypto.PrivKey, consortium [32]byte) (*transport.Host, error) {
	var known []peer.ID
	for _, m := range c.Members {
		known = append(known, m.ID)
	}
	h, err := transport.Listen(transport.Config{
		Key: key, Listen: c.Listen, Size: c.Size(), Consortium: consortium, Members: known, Secret: c.Secret, Log: c.Log, Links: c.links,
		Announce: c.Announce, MapPorts: c.MapPorts, Relay: c.Relay,
	})
	if taken, ok := errors.AsType[*transport.ListenError](err); ok {
		err = &ConfigError{Field: "listen", Got: taken.Got, Want: "addresses of this machine with free ports"}
	}
	return h, err
}

// report calls Config.OnStatus with the present and missing members.
func (p *joiner) report(who rendezvous.Presence) {
	if p.cfg.OnStatus == nil {
		return
	}
	p.cfg.OnStatus(Status{
		Name: p.cfg.Name, State: "joining", BeginAt: p.beginAt, Want: who.Want, Addrs: p.host.Dialable(), Present: who.Present, Missing: who.Missing, Unreached: who.Unreached,
		Links: linksOf(p.host.Links(), func(id peer.ID) string { return nameIn(p.cfg.Members, id) }),
	})
}

// close ends a process that has not joined a run.
func (p *joiner) close() error {
	p.cancel()
	err := p.host.Close()
	if p.rendezvous != nil {
		p.rendezvous.Close()
	}
	return errors.Join(err, p.store.Close())
}

// enter resumes the unfinished run of the folder, joins a run of the others as a newcomer, or
// meets the others for a new run.
func (p *joiner) enter(ctx context.Context) (*Node, error) {
	state, err := p.unfinished()
	if err == nil && state != nil && p.cfg.Resume != nil {
		err = p.cfg.Resume(state.ID)
	}
	comes := false
	if err == nil && state == nil { // otherwise the state has the members of the run
		comes, err = p.rendezvous.Newcomer()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	var n *Node
	switch {
	case state != nil:
		n, err = p.resume(ctx, state)
	case comes:
		n, err = p.come(ctx)
	default:
		return p.meet(ctx)
	}
	if err != nil {
		p.rendezvous.Close()
		p.rendezvous.Farewell(err)
		p.close()
		return nil, err
	}
	if err := n.agree(ctx, p.cfg.Publish); err != nil {
		n.Leave("it was stopped while it resumed the run")
		return nil, errors.Join(n.late(ctx, p.cfg.JoinTimeout, err), n.Close())
	}
	return n, nil
}

// early returns the time left until a new run may begin.
func (p *joiner) early() time.Duration {
	if p.beginAt.IsZero() {
		return 0
	}
	return time.Until(p.beginAt)
}

// meet begins a run with all others.
func (p *joiner) meet(ctx context.Context) (*Node, error) {
	p.beginAt = p.cfg.BeginAt
	n, err := p.sign(ctx)
	if err != nil {
		p.close()
		return nil, err
	}
	if err := n.prepare(ctx, p.cfg.Publish); err != nil {
		err = n.late(ctx, p.cfg.JoinTimeout, err)
		n.Abort("it could not begin the run")
		n.Close()
		return nil, err
	}
	return n, nil
}

// sign begins this member's part in a run once all members have signed the roster.
func (p *joiner) sign(ctx context.Context) (*Node, error) {
	if err := p.rendezvous.Meet(ctx); err != nil {
		p.rendezvous.Farewell(err)
		return nil, err
	}
	state, err := p.record(p.rendezvous.Signed())
	if err != nil {
		return nil, err
	}
	members, err := p.members(state)
	if err != nil {
		return nil, err
	}
	return p.begin(state, members)
}

// unfinished returns the run to resume, or nil.
func (p *joiner) unfinished() (*store.RunState, error) {
	st, err := p.store.Last()
	if err == nil && st != nil && st.Head != nil && p.cfg.CheckHead != nil {
		err = p.cfg.CheckHead(st.Head)
	}
	if err != nil || st == nil || st.Over != "" {
		return nil, err
	}
	if st.Consortium != p.consortium || !bytes.Equal(st.Members[st.Self].ID, []byte(p.host.ID())) {
		p.cfg.Log.Warn("the unfinished run in this folder has another agreement: a new run begins")
		return nil, nil
	}
	return st, nil
}

// resume resumes a run once it finds another member in it.
func (p *joiner) resume(ctx context.Context, st *store.RunState) (*Node, error) {
	members, err := p.adopt(st)
	if err != nil {
		return nil, err
	}
	if err := p.rendezvous.Return(ctx); err != nil {
		return nil, err
	}
	return p.begin(st, members)
}

// come joins the run of the others once they admit this process. From then on it acts like a
// process that was restarted with an empty log.
func (p *joiner) come(ctx context.Context) (*Node, error) {
	run, err := p.rendezvous.Come(ctx)
	if err != nil {
		return nil, err
	}
	if p.store.Knows(run.ID) {
		// This folder no longer has the promises of an earlier process in the run.
		return nil, &EndedError{Name: p.cfg.Name}
	}
	st, err := p.record(run)
	if err != nil {
		return nil, err
	}
	members, err := p.adopt(st)
	if err != nil {
		return nil, err
	}
	return p.begin(st, members)
}

// adopt makes the stored run the run of this process.
func (p *joiner) adopt(st *store.RunState) (*membership.Current, error) {
	members, err := p.members(st)
	if err != nil {
		return nil, err
	}
	if all := members.Load(); all.Removed[st.Self] { // an earlier process saved its removal, and ended before it could report it
		err := &consensus.RemovedError{Revision: all.Params.Revision}
		return nil, errors.Join(err, st.End(err.Error()))
	}
	return members, p.rendezvous.Adopt(st, members)
}

// unlisted returns the error of a participant that the list of members lacks.
func (c *Config) unlisted(id peer.ID) error {
	return refused("members", "a list without "+id.String(), "the present list, from another member, with the peer ID of "+filepath.Join(c.Dir, identityFile))
}

// checkSelf returns an error if the roster does not list this participant.
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
		return c.unlisted(id)
	}
	if named[i].Name != c.Name {
		return refused("name", fmt.Sprintf("%q", c.Name), fmt.Sprintf("%q, as in the list of members", named[i].Name))
	}
	return nil
}
