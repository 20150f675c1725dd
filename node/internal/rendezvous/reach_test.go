package rendezvous

import (
	"fmt"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
)

// A told is one member's statement about its connections: the members that it has dialled, those
// that have dialled it, and those that it reaches through a relay.
type told struct {
	dialled, accepted, relayed []string
	relays                     bool
}

// Pairs that do not reach each other are reported, with the reason as far as it is known.
func TestUnreachedPairsAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		say  map[string]told
		want []string
	}{
		"all reach each other": {
			map[string]told{"a": {accepted: []string{"b", "c"}}, "b": {dialled: []string{"a"}, accepted: []string{"c"}}}, nil,
		},
		"two behind NAT": {
			map[string]told{"a": {accepted: []string{"b", "c"}}, "b": {dialled: []string{"a"}}, "c": {dialled: []string{"a"}}},
			[]string{"b and c: nobody reaches either of them directly (NAT or firewall), and no member relays; set relay: true in the node.yaml of a member that all others reach, or open a port at one of them"},
		},
		"one of them has not been met, and a third one tells": {
			map[string]told{"b": {dialled: []string{"a"}}, "a": {accepted: []string{"b", "c"}}},
			[]string{"b and c: nobody reaches either of them directly (NAT or firewall), and no member relays; set relay: true in the node.yaml of a member that all others reach, or open a port at one of them"},
		},
		"through a relay": {
			map[string]told{"a": {accepted: []string{"b", "c"}, relays: true}, "b": {dialled: []string{"a"}, relayed: []string{"c"}}, "c": {dialled: []string{"a"}}}, nil,
		},
		"a relay that one of them does not reach": {
			map[string]told{"a": {accepted: []string{"b"}, dialled: []string{"c"}, relays: false}, "b": {dialled: []string{"a"}, relays: true}, "c": {accepted: []string{"a"}}},
			[]string{"b and c: b relays, but c does not reach it; check the firewalls between the two; if this lasts, the log of c says why"},
		},
		"only certain ports outbound": {
			map[string]told{"a": {accepted: []string{"b", "c"}}, "b": {dialled: []string{"a"}, accepted: []string{"d"}}, "c": {dialled: []string{"a"}}, "d": {dialled: []string{"b", "a", "c"}}},
			[]string{"b and c: a firewall is between them or an address is wrong, and no member relays; check the addresses of both, or set relay: true in the node.yaml of a member that all others reach"},
		},
		"one behind a firewall": {
			map[string]told{"a": {accepted: []string{"b", "c"}}, "b": {dialled: []string{"a"}, accepted: []string{"a"}}, "c": {dialled: []string{"a"}}},
			[]string{"b and c: c cannot be reached from outside and cannot connect to b, and no member relays; check that c may connect to the ports of b, or set relay: true in the node.yaml of a member that all others reach"},
		},
		"strangers do not count": {
			map[string]told{"a": {accepted: []string{"b", "x"}}}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach()
			called := func(id peer.ID) string {
				if id == "x" {
					return ""
				}
				return string(id)
			}
			for who, says := range c.say {
				var links []wire.Link
				for _, id := range says.dialled {
					links = append(links, wire.Link{ID: []byte(id)})
				}
				for _, id := range says.accepted {
					links = append(links, wire.Link{ID: []byte(id), Accepted: true})
				}
				for _, id := range says.relayed {
					links = append(links, wire.Link{ID: []byte(id), Via: []byte("a")})
				}
				r.add(peer.ID(who), links, says.relays, called)
			}
			var got []string
			for _, u := range r.unreached() {
				got = append(got, fmt.Sprintf("%s and %s: %s; %s", u.A, u.B, u.Reason, u.Advice))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
