package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/url"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/tcpreuse"
	"github.com/libp2p/go-libp2p/p2p/transport/websocket"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"golang.org/x/net/http/httpproxy"
)

// webSockets returns the constructor of the transport for networks that allow only outgoing web
// traffic. Its addresses look like /ip4/192.0.2.2/tcp/443/tls/ws. It dials through the HTTP
// proxy of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
//
// TLS is only the outer layer. Inside it, libp2p's own handshake proves the peer's identity, as
// on every other transport. So each process creates a new certificate, and a dialling host
// accepts any certificate.
func webSockets() (func(transport.Upgrader, network.ResourceManager, *tcpreuse.ConnMgr) (*webSocket, error), error) {
	certificate, err := selfSigned()
	if err != nil {
		return nil, err
	}
	server := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	client := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // the handshake inside proves the peer's key
	return func(u transport.Upgrader, r network.ResourceManager, shared *tcpreuse.ConnMgr) (*webSocket, error) {
		t, err := websocket.New(u, r, shared, websocket.WithTLSConfig(server), websocket.WithTLSClientConfig(client))
		return &webSocket{t, httpproxy.FromEnvironment().ProxyFunc()}, err
	}, nil
}

// A webSocket lets its proxy resolve names. In networks with a proxy, names from outside are
// often unknown.
type webSocket struct {
	*websocket.WebsocketTransport
	proxy func(*url.URL) (*url.URL, error) // returns the proxy for an address, or nil if there is none
}

var _ names = (*webSocket)(nil)

// SkipResolve reports whether the name in an address is left to the proxy.
func (w *webSocket) SkipResolve(_ context.Context, a multiaddr.Multiaddr) bool {
	_, host, err := manet.DialArgs(a)
	if err != nil {
		return false
	}
	scheme := "http"
	if _, err := a.ValueForProtocol(multiaddr.P_TLS); err == nil {
		scheme = "https"
	} else if _, err := a.ValueForProtocol(multiaddr.P_WSS); err == nil {
		scheme = "https"
	}
	proxy, err := w.proxy(&url.URL{Scheme: scheme, Host: host})
	return err == nil && proxy != nil
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
