package membership

import (
	"fmt"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/internal/files/printable"
)

// Printable makes text from another member safe to print on one line of a terminal.
func Printable(s string) string { return printable.Line(s, 400) }

// Quoted quotes a value, and shortens it, for a line of an error.
func Quoted(v string) string {
	const most = 120
	if len(v) > most {
		v = strings.ToValidUTF8(v[:most], "") + "..."
	}
	return fmt.Sprintf("%q", v)
}

// Describe returns a peer's name and ID for people.
func Describe(name string, id peer.ID) string {
	if name == "" {
		return id.String()
	}
	return fmt.Sprintf("%s (%s)", Printable(name), id)
}

// Multiaddrs returns the addresses that can be parsed.
func Multiaddrs(texts []string) (addrs []multiaddr.Multiaddr) {
	for _, s := range texts {
		if a, err := multiaddr.NewMultiaddr(s); err == nil {
			addrs = append(addrs, a)
		}
	}
	return addrs
}
