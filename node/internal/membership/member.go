package membership

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/internal/files/printable"
)

// A Member is a participant in the run.
type Member struct {
	Name  string
	ID    peer.ID
	Addrs []string // multiaddrs, with or without /p2p/ID; may be empty
}

// NewMember returns a member from the texts of an agreement.
func NewMember(name, id string, addrs []string) (Member, error) {
	if err := CheckName("members: name", name); err != nil {
		return Member{}, err
	}
	decoded, err := peer.Decode(id)
	if err != nil {
		return Member{}, &ConfigError{"members: " + name + ": id", fmt.Sprintf("%q", id), "a libp2p peer ID such as 12D3Koo..."}
	}
	return Member{Name: name, ID: decoded, Addrs: addrs}, nil
}

// CheckName returns an error unless a name is 1 to 100 bytes that are printable in one line.
func CheckName(field, name string) error {
	if name == "" || len(name) > 100 || !printable.Name(name) {
		return &ConfigError{field, fmt.Sprintf("%q", name), "1 to 100 bytes of printable text"}
	}
	return nil
}

// AddrInfo returns the member's addresses in the form that libp2p dials.
func (m Member) AddrInfo() (peer.AddrInfo, error) {
	info := peer.AddrInfo{ID: m.ID}
	for _, s := range m.Addrs {
		a, err := multiaddr.NewMultiaddr(s)
		if err != nil {
			return info, &ConfigError{"members: " + m.Name + ": address", s, "a multiaddr such as /ip4/10.0.0.2/tcp/4001"}
		}
		transport, id := peer.SplitAddr(a)
		if id != "" && id != m.ID {
			return info, &ConfigError{"members: " + m.Name + ": address", s, "the peer ID " + m.ID.String()}
		}
		if transport != nil {
			info.Addrs = append(info.Addrs, transport)
		}
	}
	return info, nil
}
