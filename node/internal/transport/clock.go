package transport

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/pnet"
	"github.com/libp2p/go-libp2p/core/transport"
	p2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	libp2pquic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
)

// newQUIC returns the QUIC transport, with certificates that are valid by any clock.
func newQUIC(key crypto.PrivKey, m *quicreuse.ConnManager, psk pnet.PSK, g connmgr.ConnectionGater, r network.ResourceManager) (transport.Transport, error) {
	certificate, err := anyClock()
	if err != nil {
		return nil, err
	}
	return libp2pquic.NewTransport(key, m, psk, g, r, libp2pquic.WithTLSIdentityOption(certificate))
}

// anyClock returns the option for certificates that are valid at any time. Certificates of
// libp2p are valid from one hour before the start of the process, by its own clock, so members
// whose clocks differ by more could not connect. A member's identity is proven by the key in
// the certificate, not by the dates.
func anyClock() (p2ptls.IdentityOption, error) {
	var numbers [2]*big.Int
	for i := range numbers {
		n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
		if err != nil {
			return nil, err
		}
		numbers[i] = n
	}
	return p2ptls.WithCertTemplate(&x509.Certificate{
		SerialNumber: numbers[0],
		Subject:      pkix.Name{SerialNumber: numbers[1].String()},
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // RFC 5280: no end
	}), nil
}
