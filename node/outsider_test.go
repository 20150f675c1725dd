package node

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// An outsider is a host with a key that no list has. It may send anything.
type outsider struct {
	key        crypto.PrivKey
	id         peer.ID
	host       *transport.Host
	hello      wire.Hello
	consortium [32]byte
	founders   []Member
	amendments []*consensus.Amendment
}

// newOutsider returns a host on the network of a configuration.
func newOutsider(t *testing.T, c Config) *outsider {
	t.Helper()
	key, id := nodetest.Key(t)
	o := &outsider{key: key, id: id}
	var err error
	o.host, err = transport.Listen(transport.Config{Key: o.key, Listen: c.Listen, Size: 8, Log: nullLog, Links: c.links})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.host.Close() })
	return o
}

// outsider adds a host to the network, after those of n members.
func (s *simulation) outsider(t *testing.T, n int) *outsider {
	t.Helper()
	var c Config
	s.Place(&c, n, 0)
	return newOutsider(t, c)
}

// tells says hello to a process that it can dial. It returns when the process has handled the
// hello, as its answer shows.
func (o *outsider) tells(t *testing.T, addrs []string, h wire.Hello) {
	t.Helper()
	b, err := wire.MarshalHello(h)
	if err != nil {
		t.Fatal(err)
	}
	to, err := peer.AddrInfoFromString(addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := o.host.Connect(t.Context(), *to); err != nil {
		t.Fatal(err)
	}
	defer o.host.Network().ClosePeer(to.ID) // otherwise the process closes while the next hello is on its way
	var s network.Stream
	waitFor(t, func() bool { // it may accept a connection before it answers hellos
		s, err = o.host.NewStream(t.Context(), to.ID, rendezvous.HelloProtocol)
		return err == nil
	})
	defer s.Close()
	if err := wire.WriteMessage(s, b); err != nil {
		t.Fatal(err)
	}
	if _, err := wire.ReadMessage(s, wire.MaxHello); err != nil {
		t.Fatal(err)
	}
}

// logged sends the warnings of a configuration's log to a channel.
func logged(c *Config) <-chan string {
	lines := make(logLines, 1000)
	c.Log = slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return lines
}

// logLines receives the lines of a log. Lines that do not fit are dropped.
type logLines chan string

func (l logLines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

// hears waits until a joining process has logged a line with all the texts in it.
func (j *joining) hears(t *testing.T, lines <-chan string, texts ...string) {
	t.Helper()
	limit := time.After(nodetest.Within)
	for {
		select {
		case line := <-lines:
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return
			}
		case end := <-j.ended:
			t.Fatalf("its Join has ended with %v", end.err)
		case <-limit:
			t.Fatalf("no line with %q within %s", texts, nodetest.Within)
		}
	}
}

// A stranger refuses every member that waits for the others. The run still begins.
func TestAStrangerEndsNoStart(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, configs []Config){
		"list":   func(t *testing.T, configs []Config) { list(t, configs) },
		"expect": func(*testing.T, []Config) {},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
				configs := s.configs(t, 3)
				prepare(t, configs)
				stranger := s.outsider(t, len(configs))
				nodes := make([]*Node, len(configs))
				var all []*joining
				var peers []string
				for i, c := range configs {
					c.Peers = peers
					lines := logged(&c)
					all = append(all, join(t, c))
					addrs := nodetest.Receive(t, all[i].addrs)
					peers = append(peers, addrs...)
					if i < len(configs)-1 {
						stranger.tells(t, addrs, wire.Hello{Name: "s", Refused: "goes away"})
						all[i].hears(t, lines, "level=WARN", stranger.id.String())
					}
				}
				for i, j := range all {
					if nodes[i] = j.wait(t).node; nodes[i] == nil {
						t.Fatalf("member %d has given up", i)
					}
				}
				for _, err := range each(t, nodes, sum) {
					if err != nil {
						t.Error(err)
					}
				}
				finish(t, nodes)
			})
		})
	}
}

// A stranger that knows the agreement and the list contacts a newcomer that does not reach the
// founders yet. The newcomer waits and saves no run, and the founders admit it later.
func TestAStrangerDoesNotEndOrLeadAwayANewcomer(t *testing.T) {
	const founders, rounds = 4, 20
	for name, lie := range map[string]func(t *testing.T, o *outsider) wire.Hello{
		"empty":        func(*testing.T, *outsider) wire.Hello { return wire.Hello{} },
		"refusal":      func(*testing.T, *outsider) wire.Hello { return wire.Hello{Refused: rendezvous.OtherFolder} },
		"invented run": func(t *testing.T, o *outsider) wire.Hello { return o.invents(t) },
	} {
		if testkit.Raced && name != "invented run" {
			continue // all lies have the same goroutines
		}
		t.Run(name, func(t *testing.T) {
			simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
				configs, nodes, learners := s.amended(t, founders, rounds)
				stranger := s.outsider(t, founders+1)
				alone := configs[founders]
				alone.Members, alone.JoinTimeout = configs[0].Members, 5*time.Second
				first := join(t, alone)
				stranger.copies(t, alone)
				stranger.tells(t, nodetest.Receive(t, first.addrs), lie(t, stranger))
				var late *JoinTimeoutError
				if end := first.wait(t); !errors.As(end.err, &late) {
					t.Errorf("a newcomer that only a stranger speaks to ends with %v, want it to wait", end.err)
				}
				st, err := store.Open(alone.Dir)
				if err != nil {
					t.Fatal(err)
				}
				if j, err := st.Last(); j != nil || err != nil {
					t.Errorf("a run is on disk: %t, %v, want none before a quorum of the founders has spoken", j != nil, err)
				}
				st.Close()
				s.Place(&configs[founders], founders, 1)
				node, learner := comeIn(t, rounds, configs[founders])
				nodes = append(nodes, node)
				waitForAll(t, append(learners, learner))
				checkAlike(t, nodes, "m0", "m1", "m2", "m3", "m4")
				finish(t, nodes)
			})
		})
	}
}

// copies gives the outsider the agreement of a participant.
func (o *outsider) copies(t *testing.T, c Config) {
	t.Helper()
	agreement := c.complete()
	o.consortium, o.hello = agreement.ID(), wire.Hello{Name: "outsider", Process: [32]byte{'o'}}
	for _, f := range agreement {
		o.hello.Agreement = append(o.hello.Agreement, wire.Field(f))
	}
	var p consensus.Params
	var err error
	o.founders, p = membership.Founding(c.Members, c.Settings)
	if o.amendments, err = membership.Amendments(p, o.founders, c.Changes); err != nil {
		t.Fatal(err)
	}
}

// invents returns a hello that shows an invented run of the founders.
func (o *outsider) invents(t *testing.T) wire.Hello {
	t.Helper()
	var entries []wire.Entry
	for _, m := range o.founders {
		entries = append(entries, wire.Entry{Name: m.Name, ID: []byte(m.ID), Process: [32]byte{'!'}})
	}
	r := membership.NewRoster(o.consortium, entries)
	signature, err := r.Sign(o.key)
	if err != nil {
		t.Fatal(err)
	}
	h := o.hello
	h.Roster, h.Signature, h.Proposal, h.Amendments = r.Entries, signature, r.Run(), [][]byte{o.amendments[0].Encode()}
	return h
}
