package transport

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

const (
	// floodUpTo is the largest run in which each control message goes directly to every member,
	// as well as through the mesh.
	floodUpTo = 32
	// queued bounds the control messages in gossipsub's queues, in messages per member.
	queued = 64
	// controlMost bounds the bytes of one control message.
	controlMost = 512 << 10
	// attachWithin is the number of intervals after which a connection is replaced if its member
	// still receives no control messages.
	attachWithin = 20
)

// newPubSub starts gossipsub. It must be called before the first connection: gossipsub
// overlooks peers that begin to support it while it connects to them.
func newPubSub(ctx context.Context, h host.Host, consortium [32]byte, size int, a *Admission, s *shares) (*pubsub.PubSub, error) {
	topics := regexp.MustCompile("^" + regexp.QuoteMeta(topicPrefix(consortium)) + "[0-9a-f]{64}$")
	options := append(a.options(s),
		pubsub.WithMessageSignaturePolicy(pubsub.StrictSign),
		pubsub.WithSubscriptionFilter(pubsub.WrapLimitSubscriptionFilter(pubsub.NewRegexpSubscriptionFilter(topics), 8)),
		pubsub.WithFloodPublish(size <= floodUpTo),
		pubsub.WithGossipSubParams(mesh(size)),
		pubsub.WithMaxMessageSize(controlMost),
		pubsub.WithPeerOutboundQueueSize(queued),
		pubsub.WithValidateQueueSize(queued*size),
	)
	ps, err := pubsub.NewGossipSub(ctx, h, options...)
	if err != nil {
		return nil, fmt.Errorf("control plane: %w", err)
	}
	return ps, nil
}

// mesh returns the parameters of gossipsub in a run of the given size. Up to floodUpTo members, the
// author sends each message to every member itself. The mesh and the reports of what has been seen
// only carry it past a connection that is down, so they take fewer neighbours than by default: with
// 24 members, five in six copies of a message were of the mesh. A message that is lost all the same
// is sent again.
func mesh(size int) pubsub.GossipSubParams {
	p := pubsub.DefaultGossipSubParams()
	if size <= floodUpTo {
		p.D, p.Dlo, p.Dhi, p.Dscore, p.Dout = 3, 2, 4, 2, 0
		p.Dlazy, p.GossipFactor = 2, 0
	}
	return p
}

func topicPrefix(consortium [32]byte) string {
	return "/collabdict/" + hex.EncodeToString(consortium[:8]) + "/control/1/"
}

// control is the control plane: a topic of the run with signed messages. The topic's name is
// not secret. Admission and validate ensure that only members receive the messages, and that
// only members' messages are accepted.
type control struct {
	self  peer.ID
	peers *directory
	box   *outbox
	topic *pubsub.Topic
	sub   *pubsub.Subscription
	blame *blame
	log   *slog.Logger
}

func newControl(ps *pubsub.PubSub, self peer.ID, consortium, run [32]byte, members *directory, b *blame) (*control, error) {
	name := topicPrefix(consortium) + hex.EncodeToString(run[:])
	c := &control{self: self, peers: members, box: newOutbox(), blame: b, log: b.log}
	err := ps.RegisterTopicValidator(name, c.validate, pubsub.WithValidatorInline(true))
	if err == nil {
		c.topic, err = ps.Join(name)
	}
	if err == nil {
		c.sub, err = c.topic.Subscribe(pubsub.WithBufferSize(queued * len(members.Load().lanes)))
	}
	if err != nil {
		return nil, fmt.Errorf("control plane: %w", err)
	}
	return c, nil
}

// validate is called for each message before it is delivered or forwarded. The signature has
// been checked against the author.
func (c *control) validate(ctx context.Context, _ peer.ID, msg *pubsub.Message) pubsub.ValidationResult {
	m, err := c.decode(ctx, msg)
	if err != nil {
		c.log.Debug("a control message is refused", "author", msg.GetFrom(), "by", msg.ReceivedFrom, "error", err)
	}
	msg.ValidatorData = m
	return verdict(err)
}

func (c *control) decode(ctx context.Context, msg *pubsub.Message) (consensus.Valid, error) {
	if ctx.Err() != nil {
		return consensus.Valid{}, errEnding
	}
	if !c.peers.has(msg.GetFrom()) {
		return consensus.Valid{}, errStranger
	}
	m, err := decodeControl(msg.Data, c.peers.most())
	if err != nil { // the author has signed it
		c.blame.on(msg.GetFrom(), err)
	}
	return m, err
}

// read delivers the others' messages until ctx ends.
func (c *control) read(ctx context.Context, t *counter, deliver func(from int, m consensus.Valid)) {
	for {
		msg, err := c.sub.Next(ctx)
		if err != nil {
			return
		}
		if msg.GetFrom() == c.self {
			continue
		}
		if from, ok := c.peers.Load().ranks[msg.GetFrom()]; ok { // otherwise it has been removed since
			t.messagesIn.Add(1)
			deliver(from, msg.ValidatorData.(consensus.Valid))
		}
	}
}

// write publishes the messages of the outbox until the outbox is closed and empty, or ctx has
// ended.
func (c *control) write(ctx context.Context, t *counter) {
	c.box.drain(ctx, func(ctx context.Context, batch []consensus.Message) error {
		for _, m := range batch {
			if err := c.topic.Publish(ctx, wire.Marshal(m)); err != nil {
				c.log.Debug("a control message was not published", "error", err)
			}
		}
		t.messagesOut.Add(uint64(len(batch)))
		return nil
	})
}

// assemble waits until all other members subscribe to the topic, so that the first messages
// reach them. It does not wait for lost members: at each interval it asks lost for their ranks.
//
// Gossipsub opens its stream to a peer once per connection. If that fails while the connection
// lasts, the two never hear of each other's topics. So assemble calls renew with the members that
// have not subscribed for long, to replace their connections.
func (c *control) assemble(ctx context.Context, interval time.Duration, lost func() map[int]bool, renew func(peer.ID)) error {
	events, err := c.topic.EventHandler()
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	defer events.Cancel()
	present, last := map[peer.ID]bool{c.self: true}, time.Now()
	for !c.complete(present, lost) {
		if time.Since(last) > attachWithin*interval {
			last = time.Now()
			for id := range c.peers.Load().ranks {
				if !present[id] {
					renew(id)
				}
			}
		}
		wait, cancel := context.WithTimeout(ctx, interval)
		e, err := events.NextPeerEvent(wait)
		cancel()
		switch {
		case err == nil:
			present[e.Peer], last = e.Type == pubsub.PeerJoin, time.Now()
		case wait.Err() == nil || ctx.Err() != nil:
			return err
		}
	}
	return nil
}

func (c *control) complete(present map[peer.ID]bool, lost func() map[int]bool) bool {
	gone := lost()
	for id, rank := range c.peers.Load().ranks {
		if !present[id] && !gone[rank] {
			return false
		}
	}
	return true
}
