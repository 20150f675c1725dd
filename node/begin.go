package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// assembleMost bounds the wait until all members receive control messages. Heartbeats make up
// for messages that are lost after that.
const assembleMost = 15 * time.Second

// record draws the secret of a new run and saves the run.
func (p *joiner) record(r store.Run) (*store.RunState, error) {
	if _, err := rand.Read(r.Secret[:]); err != nil {
		return nil, err
	}
	if p.cfg.Begin != nil {
		if err := p.cfg.Begin(r.ID); err != nil {
			return nil, err
		}
	}
	if p.cfg.Head != nil {
		r.Head = p.cfg.Head()
	}
	return p.store.Begin(r)
}

// heartbeat returns the time between two heartbeats, with the same default as consensus.Params.
func (c *Config) heartbeat() time.Duration { return cmp.Or(c.Heartbeat, time.Second) }

// members returns the membership of the run that is stored.
func (p *joiner) members(st *store.RunState) (*membership.Current, error) {
	k := &keys{key: p.key, members: &membership.Current{}}
	params := consensus.Params{
		Settings: p.cfg.Settings, Self: st.Self, Run: st.ID, Keys: k,
		Heartbeat: p.cfg.heartbeat(), Patience: p.cfg.Patience, Volatile: p.cfg.Durability == InMemory,
	}
	all, err := membership.FromState(st, params)
	if err != nil {
		return nil, err
	}
	k.members.Store(all)
	if err := membership.CheckLog(st, params); err != nil {
		return nil, err
	}
	return k.members, st.Extend(all.Stored()) // an earlier process may have ended before it did so
}

// begin starts this member's part in a run. After an error the caller ends the process.
func (p *joiner) begin(st *store.RunState, members *membership.Current) (*Node, error) {
	words := 1
	if p.cfg.Settings.Parity {
		words = 2
	}
	machine, err := p.machine(st, members)
	if err != nil {
		return nil, err
	}
	n := &Node{
		self: st.Self, mostValues: wire.MaxWords / words, heartbeat: p.cfg.heartbeat(), census: consensus.Census{Settings: p.cfg.Settings},
		members: members, host: p.host, rendezvous: p.rendezvous, store: p.store, state: st, head: p.cfg.Head, log: p.cfg.Log, cancel: p.cancel,
	}
	box := newInbox(members, words)
	n.transport, err = p.host.Begin(p.ctx, transport.Run{ID: st.ID, Peers: peersOf(members.Load()), Deliver: box.deliver, Usual: box.usual, MostBlob: mostBytes})
	if err != nil {
		return nil, err
	}
	n.loop, err = newLoop(loopConfig{
		machine: machine, state: st, members: members, network: n.transport, inbox: box, self: st.Self, dir: p.cfg.Dir,
		initial: p.cfg.Settings, changes: p.cfg.Changes, every: n.heartbeat / 2, came: n.noteCame, log: p.cfg.Log,
	})
	if err != nil {
		close(box.stopped) // nobody reads it
		p.cancel()
		err = errors.Join(err, p.host.Close())
		n.transport.Wait()
		return nil, err
	}
	var came []peer.ID
	for _, m := range st.Members[st.Founders:] { // read these before the loop writes to the state
		if m.Came {
			came = append(came, peer.ID(m.ID))
		}
	}
	n.work.Go(func() { n.loop.main(p.ctx) })
	n.work.Go(func() { n.loop.vouch(p.ctx, n.heartbeat) })
	n.work.Go(func() { n.ask(p.ctx) })
	p.rendezvous.Begin(members, rendezvous.Events{Found: n.reached, Returned: n.returned, Removed: n.removed}, came)
	return n, nil
}

// machine returns the machine of the run, in the slot that is saved on disk.
func (p *joiner) machine(st *store.RunState, members *membership.Current) (*consensus.Machine, error) {
	saved, err := st.Saved()
	if err != nil {
		return nil, err
	}
	var entropy [32]byte
	if _, err := rand.Read(entropy[:]); err != nil {
		return nil, err
	}
	return consensus.Resume(*members.Load().Params, saved, entropy)
}

// keys signs promises and votes with the participants' identities.
type keys struct {
	key     crypto.PrivKey
	members *membership.Current
}

var _ consensus.Keys = (*keys)(nil)

// voteDomain separates these signatures from all others that the same keys make.
const voteDomain = "collabdict/consensus/1/"

func (k *keys) Sign(message []byte) []byte {
	signature, err := k.key.Sign(append([]byte(voteDomain), message...))
	if err != nil {
		panic("node: " + err.Error()) // an Ed25519 key signs any message
	}
	return signature
}

func (k *keys) Verify(member int, message, signature []byte) bool {
	public, known := k.members.Load().PublicKey(member)
	if !known {
		return false
	}
	ok, err := public.Verify(append([]byte(voteDomain), message...), signature)
	return err == nil && ok
}

// returned drops the messages queued for a member's earlier process, and saves its address.
func (n *Node) returned(from peer.ID, addrs []string) {
	if rank, member := n.members.Load().Ranks[from]; member {
		n.transport.Forget(rank)
		n.reached(from, addrs)
	}
}

// reached saves the address of a member.
func (n *Node) reached(from peer.ID, addrs []string) {
	rank, member := n.members.Load().Ranks[from]
	if !member {
		return
	}
	n.loop.background.Start(func() {
		if err := n.state.Reached(rank, addrs); err != nil {
			n.log.Error("cannot save a member's address", "error", err)
		}
	})
}

// noteCame saves that a newcomer has taken part. From then on it is not admitted without the
// state in its folder.
func (n *Node) noteCame(rank int) {
	n.rendezvous.Came(n.members.Load().All[rank].ID)
	if err := n.state.Came(rank); err != nil {
		n.log.Error("cannot save that a newcomer has joined", "error", err)
	}
}

// prepare waits until the first messages can reach all members, and then agrees on the nonce.
// The labels of all sessions follow from the nonce and from all earlier decisions.
func (n *Node) prepare(ctx context.Context, publish func(run [32]byte) []byte) error {
	assemble, cancel := context.WithTimeout(ctx, assembleMost)
	defer cancel()
	if err := n.transport.Assemble(assemble, n.heartbeat, n.loop.lost); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n.log.Warn("some members do not receive control messages yet; lost ones are sent again", "error", err)
	}
	return n.agree(ctx, publish)
}

// agree makes the first two collectives of a run, unless its roster is large. A restarted
// process uses the same secret as the process before it.
func (n *Node) agree(ctx context.Context, publish func(run [32]byte) []byte) error {
	if n.state.Founders > consensus.SmallRoster {
		return nil
	}
	var note []byte
	if publish != nil {
		note = publish(n.state.ID)
	}
	_, notes, err := collabdict.AgreeNonce(ctx, n, n.state.Secret, note)
	if err != nil {
		return fmt.Errorf("agree on the nonce: %w", err)
	}
	n.published = notes
	return nil
}

// late returns an error that names the members that could not be reached in time after all had
// signed, if err is due to that; otherwise it returns err.
func (n *Node) late(ctx context.Context, limit time.Duration, err error) error {
	if !rendezvous.TimedOut(ctx, limit) {
		return err
	}
	missing := map[string]bool{}
	for _, w := range n.Status().Waiting {
		missing[w.Name] = true
	}
	if len(missing) == 0 { // the first collective has not begun yet
		listening := n.transport.Listening()
		for _, m := range n.Members() {
			missing[m.Name] = m.ID != n.host.ID() && !slices.Contains(listening, m.ID)
		}
	}
	e := &JoinTimeoutError{After: limit, Want: len(n.Members())}
	for _, m := range n.Members() {
		if who := membership.Describe(m.Name, m.ID); missing[m.Name] {
			e.Missing = append(e.Missing, who)
		} else {
			e.Present = append(e.Present, who)
		}
	}
	if e.Missing == nil {
		return err
	}
	return e
}
