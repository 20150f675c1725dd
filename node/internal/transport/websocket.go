package transport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/tcpreuse"
	"github.com/libp2p/go-libp2p/p2p/transport/websocket"
)

// webSockets returns the constructor of the transport for networks that let only web
// traffic out: addresses such as /ip4/192.0.2.2/tcp/443/tls/ws. It dials through the HTTP
// proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
//
// TLS is only the wrapping here. Inside it, libp2p's own handshake proves who the peer is,
// as on every other transport. So the certificate is drawn anew by each process, and a
// dialling host takes any.
func webSockets() (func(transport.Upgrader, network.ResourceManager, *tcpreuse.ConnMgr) (transport.Transport, error), error) {
	certificate, err := selfSigned()
	if err != nil {
		return nil, err
	}
	server := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	client := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // the handshake inside proves the peer's key
	return func(u transport.Upgrader, r network.ResourceManager, shared *tcpreuse.ConnMgr) (transport.Transport, error) {
		return websocket.New(u, r, shared, websocket.WithTLSConfig(server), websocket.WithTLSClientConfig(client))
	}, nil
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(10, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
