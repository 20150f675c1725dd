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

// webSockets returns the constructor of the transport for networks that let only web
// traffic out: addresses such as /ip4/192.0.2.2/tcp/443/tls/ws. It dials through the HTTP
// proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
//
// TLS is only the wrapping here. Inside it, libp2p's own handshake proves who the peer is,
// as on every other transport. So the certificate is drawn anew by each process, and a
// dialling host takes any.
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

// webSocket leaves names to the proxy that they are dialled through. In networks with a
// proxy, names of the outside are often not known.
type webSocket struct {
	*websocket.WebsocketTransport
	proxy func(*url.URL) (*url.URL, error) // the one for an address, nil if there is none
}

var _ names = (*webSocket)(nil)

// SkipResolve reports whether the name in an address is left as it is.
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
