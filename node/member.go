package node

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
)

// NewMember returns a member from the texts of an agreement.
func NewMember(name, id string, addrs []string) (Member, error) {
	decoded, err := peer.Decode(id)
	if err != nil {
		return Member{}, &ConfigError{"members: " + name + ": id", fmt.Sprintf("%q", id), "a libp2p peer ID such as 12D3Koo..."}
	}
	return Member{Name: name, ID: decoded, Addrs: addrs}, nil
}
