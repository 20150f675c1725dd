package transport

import (
	"crypto/x509"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	p2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A member's certificate is valid for a member whose clock is years behind: in the bubble it is
// the year 2000.
func TestCertificatesHoldByAnyClock(t *testing.T) {
	key, _ := nodetest.Key(t)
	option, err := anyClock()
	if err != nil {
		t.Fatal(err)
	}
	id, err := p2ptls.NewIdentity(key, option)
	if err != nil {
		t.Fatal(err)
	}
	config, _ := id.ConfigForPeer("")
	certificate, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := p2ptls.PubKeyFromCertChain([]*x509.Certificate{certificate}); err != nil {
			t.Error(err)
		}
	})
}

// A member whose clock is days ahead of a relay's clock gets a reservation that has not
// expired.
func TestPlacesHoldByAnyClock(t *testing.T) {
	all := relayHosts(t, 2, 2)
	relay, member := all[0], all[1]
	place, err := client.Reserve(t.Context(), member, peer.AddrInfo{ID: relay.ID(), Addrs: relay.Addrs()})
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(place.Expiration); left < 24*time.Hour {
		t.Errorf("a place ends after %v, want days", left)
	}
}
