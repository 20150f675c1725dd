package node

import (
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// SignCard returns the participant with the folder dir as a member of that name and those
// addresses, and its signature under these and the columns of its rows.
func SignCard(dir, name string, addrs, columns []string) (Member, []byte, error) {
	key, id, err := existingIdentity(dir)
	if err != nil {
		return Member{}, nil, err
	}
	m := Member{Name: name, ID: id, Addrs: addrs}
	if err := m.CheckNew("card"); err != nil {
		return Member{}, nil, err
	}
	signature, err := key.Sign(membership.CardText(m, columns))
	return m, signature, err
}

// CheckCard reports what is wrong with a card: with the member, or with its signature.
func CheckCard(m Member, columns []string, signature []byte) error {
	if err := m.CheckNew("card"); err != nil {
		return err
	}
	if !signedBy(m, membership.CardText(m, columns), signature) {
		return refused("signature", "another one", "that of "+m.ID.String()+" under this card: it was altered, or is not whole")
	}
	return nil
}

// ReachedAt returns addresses at which other machines may reach a node that listens at the
// given ones: those with a port, and of all interfaces each but the loopback.
func ReachedAt(listen []string) ([]string, error) {
	own, err := manet.InterfaceMultiaddrs()
	if err != nil {
		return nil, err
	}
	var addrs []string
	for _, text := range listen {
		a, err := multiaddr.NewMultiaddr(text)
		if err != nil {
			return nil, refused("listen", text, "a multiaddr such as /ip4/0.0.0.0/tcp/4001")
		}
		for _, protocol := range []int{multiaddr.P_TCP, multiaddr.P_UDP} {
			if port, err := a.ValueForProtocol(protocol); err == nil && port == "0" {
				a = nil
				break
			}
		}
		switch {
		case a == nil:
		case manet.IsIPUnspecified(a):
			resolved, err := manet.ResolveUnspecifiedAddress(a, own)
			if err != nil {
				continue // no interface of that kind
			}
			for _, r := range resolved {
				if !manet.IsIPLoopback(r) && !manet.IsIP6LinkLocal(r) {
					addrs = append(addrs, r.String())
				}
			}
		default:
			addrs = append(addrs, text)
		}
	}
	return addrs, nil
}
