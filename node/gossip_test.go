package node

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A stranger is a process that speaks gossipsub and is not a member.
type stranger struct {
	ps    *pubsub.PubSub
	topic *pubsub.Topic
	sub   *pubsub.Subscription
}

func newStranger(t *testing.T, addr string) *stranger {
	t.Helper()
	h, err := libp2p.New(libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"), libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); h.Close() })
	s := &stranger{}
	if s.ps, err = pubsub.NewGossipSub(ctx, h); err != nil {
		t.Fatal(err)
	}
	to, err := peer.AddrInfoFromString(addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Connect(ctx, *to); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stranger) subscribe(t *testing.T, topic string) {
	t.Helper()
	var err error
	if s.topic, err = s.ps.Join(topic); err == nil {
		s.sub, err = s.topic.Subscribe()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A stranger does not receive the topic, and cannot read the control plane even if it knows the
// topic. That holds whenever it connects, with or without a list of members.
func TestStrangersHearNothing(t *testing.T) {
	t.Parallel()
	for _, listed := range []bool{true, false} {
		configs := testConfigs(t, 3)
		for i := range configs {
			configs[i].Heartbeat = 100 * time.Millisecond
		}
		if listed {
			list(t, configs)
		}
		first := join(t, configs[0])
		addrs := nodetest.Receive(t, first.addrs)
		early := newStranger(t, addrs[0])
		configs[1].Peers, configs[2].Peers = addrs, addrs
		var nodes []*Node
		for _, j := range []*joining{first, join(t, configs[1]), join(t, configs[2])} {
			end := j.wait(t)
			if end.err != nil {
				t.Fatal(end.err)
			}
			nodes = append(nodes, end.node)
		}
		late := newStranger(t, addrs[0])
		for _, s := range []*stranger{early, late} {
			s.subscribe(t, topicOf(nodes[0]))
		}
		for _, err := range each(t, nodes, sum) {
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*configs[0].Heartbeat)
		for i, s := range []*stranger{early, late} {
			if msg, err := s.sub.Next(ctx); err == nil {
				t.Errorf("listed %v: stranger %d hears %x", listed, i, msg.Data)
			}
			if told := s.topic.ListPeers(); len(told) != 0 {
				t.Errorf("listed %v: %s has shown stranger %d the topic", listed, told, i)
			}
		}
		cancel()
		if there := nodes[0].transport.Listening(); len(there) != 2 {
			t.Errorf("listed %v: %d listen, want the 2 other members", listed, len(there))
		}
		finish(t, nodes)
	}
}

// topicOf returns the name of the topic of a node's run.
func topicOf(n *Node) string {
	return fmt.Sprintf("/collabdict/%x/control/1/%x", n.state.Consortium[:8], n.state.ID)
}

// list sets the configurations' participants as the list of members.
func list(t *testing.T, configs []Config) (members []Member) {
	t.Helper()
	for _, c := range configs {
		members = append(members, Member{Name: c.Name, ID: identity(t, c)})
	}
	for i := range configs {
		configs[i].Members, configs[i].Expect, configs[i].Open = members, 0, false
	}
	return members
}
