package rendezvous

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// Config describes a process that searches for the others.
type Config struct {
	Name      string
	Size      int                 // number of members of a new run
	Members   []membership.Member // its members, if they were agreed beforehand
	Proven    bool                // every peer has proven that it knows the secret of the members
	Changes   []membership.Change // changes of the roster in Members
	Peers     []string            // multiaddrs, with /p2p/ID, of the first processes to visit
	MDNS      string              // tag on the local network; "" disables the search there
	Agreement membership.Agreement
	Settings  consensus.Settings
	// Early, if not nil, returns the time left until a new run may begin. Until then members
	// meet, and sign no roster. It is called for every hello.
	Early   func() time.Duration
	Timeout time.Duration // limit of the wait for the others, which the caller's context carries; 0 means none
	Key     crypto.PrivKey
	Host    *transport.Host
	Store   *store.Store
	Log     *slog.Logger
	// OnPresence, if not nil, receives the present and missing members whenever they change. It
	// must not block.
	OnPresence func(Presence)
}

// Presence lists the present and missing members as texts for people.
type Presence struct {
	Want    int
	Present []string // this process first
	Missing []string // as far as they are known
	// Unreached lists the pairs of present members that do not reach each other.
	Unreached []Unreached
}

// Events are callbacks of a run.
type Events struct {
	// Found is called when a member of the run is found, with its addresses.
	Found func(id peer.ID, addrs []string)
	// Removed is called when a quorum of the members says that this process is removed.
	Removed func()
	// Returned is called when a member's process was restarted, with its addresses.
	Returned func(id peer.ID, addrs []string)
}

// A Rendezvous exchanges hellos with the other processes. Call one of Meet, Return and Come to
// find them, and Begin when the run has begun.
type Rendezvous struct {
	*registry
	ctx      context.Context // lasts as long as the process
	cancel   context.CancelFunc
	joining  context.Context // bounds the visits
	visits   transport.Tasks
	visiting counts // current visits, by peer
	answers  transport.Tasks
	asking   counts // hellos that are being answered, by peer
	stop     func() // ends the search on the local network
}

// New returns the rendezvous of a process, which visits nobody yet. The context lasts as long
// as the process.
func New(ctx context.Context, c Config) (*Rendezvous, error) {
	m := &registry{
		cfg: c, consortium: c.Agreement.ID(),
		records: map[peer.ID]*record{}, came: map[peer.ID]bool{}, warned: map[string]bool{}, claims: map[peer.ID]claim{}, offered: map[[32]byte]*membership.Roster{}, resuming: map[peer.ID][32]byte{},
		here: map[peer.ID]time.Time{}, complete: make(chan struct{}), failed: make(chan struct{}), changed: make(chan struct{}),
	}
	if _, err := rand.Read(m.process[:]); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	return &Rendezvous{registry: m, ctx: ctx, cancel: cancel, joining: ctx, stop: func() {}}, nil
}

// Meet returns when all members of a new run have signed one roster.
func (r *Rendezvous) Meet(ctx context.Context) error {
	r.locked(r.report)
	joining, cancel := context.WithCancel(ctx)
	r.joining = joining
	defer r.watchRecords()()
	err := r.discover()
	if err == nil {
		err = r.settle(ctx)
	}
	r.stop()
	cancel()
	r.visits.End(context.Background())
	return err
}

// Signed returns the run whose roster all have signed, without its secret.
func (r *Rendezvous) Signed() store.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := store.Run{ID: r.roster.Run(), Consortium: r.consortium, Founders: len(r.roster.Entries)}
	for rank, e := range r.roster.Entries {
		m := store.Member{Name: e.Name, ID: e.ID, Process: e.Process}
		if id := peer.ID(e.ID); id == r.cfg.Host.ID() {
			run.Self, m.Addrs = rank, r.cfg.Host.Dialable()
		} else {
			m.Addrs = r.records[id].hello.Addrs
		}
		run.Members = append(run.Members, m)
	}
	return run
}

// Begin lets members come back to a run that has begun. The newcomers in came have taken part
// in it: they are not admitted again without the state in their folders.
func (r *Rendezvous) Begin(current *membership.Current, events Events, came []peer.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range came {
		r.came[id] = true
	}
	r.current, r.events = current, events
	if r.resumed != nil { // members found before
		for id, a := range r.records {
			events.Found(id, a.hello.Addrs)
		}
	}
}

// Came records that a newcomer has taken part.
func (r *Rendezvous) Came(id peer.ID) { r.locked(func() { r.came[id] = true }) }

// Ask says hello to members of the run. Their answers give the present addresses of others, and
// show whether they have removed this process while it was away.
func (r *Rendezvous) Ask(ctx context.Context, ids []peer.ID) {
	for _, id := range ids {
		if err := r.exchange(ctx, id); err != nil {
			r.cfg.Log.Debug("no hello from a member", "peer", id, "error", err)
		}
	}
}

// Close ends all visits.
func (r *Rendezvous) Close() {
	r.cancel()
	r.stop()
	r.visits.End(context.Background())
}

// remindEvery is the time between two log lines of the members present.
const remindEvery = 30 * time.Second

// settle waits until the members are found, and logs the present members at intervals.
func (r *Rendezvous) settle(ctx context.Context) error {
	remind := time.NewTicker(remindEvery)
	defer remind.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-r.complete:
			return nil
		case <-r.failed:
			return r.failure
		case <-ctx.Done():
			return r.late(ctx)
		case now := <-look.C:
			r.look(now)
		case <-remind.C:
			r.locked(func() {
				r.cfg.Log.Info("waiting for members", "want", r.cfg.Size, "present", r.present(), "missing", r.missing())
			})
		}
	}
}

// late returns an error that names the members that are missing at the timeout.
func (r *Rendezvous) late(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !TimedOut(ctx, r.cfg.Timeout) {
		return ctx.Err()
	}
	return &JoinTimeoutError{After: r.cfg.Timeout, Want: r.cfg.Size, Present: r.present(), Missing: r.missing(), Apart: r.apart()}
}

// TimedOut reports whether the timeout limit has ended the context.
func TimedOut(ctx context.Context, limit time.Duration) bool {
	return limit > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
}
