package node

import (
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// SignCard returns a member with the given name and addresses and the identity in the folder
// dir. It also returns that identity's signature of the member and of the columns of its rows.
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

// CheckCard returns an error if the member of a card is not valid, or if the signature is not
// that member's.
func CheckCard(m Member, columns []string, signature []byte) error {
	if err := m.CheckNew("card"); err != nil {
		return err
	}
	if !signedBy(m, membership.CardText(m, columns), signature) {
		return refused("signature", "another one", "that of "+m.ID.String()+" under this card: the card was altered or is incomplete")
	}
	return nil
}

// ReachedAt returns the addresses at which other machines may reach a node that listens at the
// given ones. It leaves out addresses without a fixed port. For an address that stands for all
// interfaces, it returns one address per interface, except loopback and link-local ones.
func ReachedAt(listen []string) ([]string, error) {
	interfaces, err := manet.InterfaceMultiaddrs()
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
			resolved, err := manet.ResolveUnspecifiedAddress(a, interfaces)
			if err != nil {
				continue // this machine has no interface of that kind
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
