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
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// Config describes a process that looks for the others.
type Config struct {
	Name      string
	Size      int                 // members that a new run has
	Members   []membership.Member // that it has, if that was agreed on beforehand
	Proven    bool                // every peer has proven that it knows the secret of the members
	Changes   []membership.Change // of a roster given by Members
	Peers     []string            // multiaddrs, with /p2p/ID, of processes to begin with
	MDNS      string              // tag on the local network; "" means none
	Agreement membership.Agreement
	Settings  consensus.Settings
	// Early, if not nil, returns for how long it is too early for a new run: members are met,
	// and no roster is signed. It is asked whenever another process says hello.
	Early   func() time.Duration
	Timeout time.Duration // of the wait for the others, which a caller's context has; 0 means none
	Key     crypto.PrivKey
	Host    *transport.Host
	Store   *store.Store
	Log     *slog.Logger
	// OnPresence, if not nil, gets the members present and missing whenever that changes. It must not block.
	OnPresence func(Presence)
}

// Presence is the members present and missing, as texts for people.
type Presence struct {
	Want    int
	Present []string // this process first
	Missing []string // as far as they are known
	// Unreached are pairs of those present that do not reach each other.
	Unreached []Unreached
}

// Events are what a run hears of members that come.
type Events struct {
	// Found gets where a member of the run is reached, when it is found.
	Found func(id peer.ID, addrs []string)
	// Removed says that a quorum of the members has this process removed.
	Removed func()
	// Returned gets where a member is reached whose process was started again.
	Returned func(id peer.ID, addrs []string)
}

// Rendezvous exchanges hellos with the other processes. One of Meet, Return and Come finds
// them; Begin follows when the run has begun.
type Rendezvous struct {
	*registry
	ctx      context.Context // of the process
	cancel   context.CancelFunc
	joining  context.Context // visits end with it
	visits   transport.Tasks
	visiting counts // visits under way, by peer
	answers  transport.Tasks
	asking   counts // hellos being answered, by peer
	stop     func() // ends the discovery on the local network
}

// New returns the rendezvous of a process, which visits nobody yet. The context is that of
// the process.
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

// Signed returns the run that all have signed, without its secret.
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

// Begin lets members come back to a run that has begun. Newcomers in came have taken part
// in it: without their folders they are not let in again.
func (r *Rendezvous) Begin(current *membership.Current, events Events, came []peer.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range came {
		r.came[id] = true
	}
	r.current, r.events = current, events
	if r.resumed != nil { // those found already
		for id, a := range r.records {
			events.Found(id, a.hello.Addrs)
		}
	}
}

// Came notes that a newcomer has taken part.
func (r *Rendezvous) Came(id peer.ID) { r.locked(func() { r.came[id] = true }) }

// Ask says hello to members of the run. Their answers tell where others are reached now, and
// whether they have removed this process while it was away.
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

// remindEvery is the time between two notes of the members present.
const remindEvery = 30 * time.Second

// settle waits until the members are found, and logs now and then who is present.
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

// late returns an error that names those who did not come in time.
func (r *Rendezvous) late(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !TimedOut(ctx, r.cfg.Timeout) {
		return ctx.Err()
	}
	return &JoinTimeoutError{After: r.cfg.Timeout, Want: r.cfg.Size, Present: r.present(), Missing: r.missing(), Apart: r.apart()}
}

// TimedOut reports whether a limit of its own has ended a context.
func TimedOut(ctx context.Context, limit time.Duration) bool {
	return limit > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
}
