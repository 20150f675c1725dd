package transport

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/multiformats/go-multiaddr"
)

// The proxy that a name is dialled through looks it up. Without one this process does.
func TestNamesAreLeftToTheProxy(t *testing.T) {
	secure := &webSocket{proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme == "https" && r.URL.Host == "a.example:443" {
			return &url.URL{Scheme: "http", Host: "proxy.example:8080"}, nil
		}
		return nil, nil
	}}
	for address, want := range map[string]bool{
		"/dns4/a.example/tcp/443/tls/ws":              true,
		"/dns6/a.example/tcp/443/wss":                 true,
		"/dns/a.example/tcp/443/tls/sni/a.example/ws": true,
		"/dns4/a.example/tcp/443/ws":                  false,
		"/dns4/b.example/tcp/443/tls/ws":              false,
		"/ip4/192.0.2.1/tcp/443/tls/ws":               false,
	} {
		a, err := multiaddr.NewMultiaddr(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := secure.SkipResolve(t.Context(), a); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
