package transport

import (
	"testing"

	"github.com/multiformats/go-multiaddr"
	"golang.org/x/net/http/httpproxy"
)

// If a name is dialled through a proxy, the proxy resolves it. Otherwise this process does.
func TestNamesAreLeftToTheProxy(t *testing.T) {
	proxies := httpproxy.Config{HTTPSProxy: "http://proxy.example:8080", NoProxy: "b.example"}
	sockets := &webSocket{proxy: proxies.ProxyFunc()}
	for address, want := range map[string]bool{
		"/dns4/a.example/tcp/443/tls/ws":              true,
		"/dns6/a.example/tcp/443/wss":                 true,
		"/dns/a.example/tcp/443/tls/sni/a.example/ws": true,
		"/dns4/a.example/tcp/443/ws":                  false,
		"/dns4/b.example/tcp/443/tls/ws":              false,
	} {
		a, err := multiaddr.NewMultiaddr(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := sockets.SkipResolve(t.Context(), a); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
