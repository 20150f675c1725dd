package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Hosts returns a function that reports whether a request may name a host, for a server that listens
// on the host listen. A page of another site could otherwise make its own name mean this machine, and
// read with its visitor's browser. Requests may name the host that is listened on, or a loopback one.
// If others can connect, too, any IP address will do, since a page's own name is none, and the names
// in also, such as those of a certificate.
func Hosts(listen string, also ...string) func(host string) bool {
	return func(host string) bool {
		host = hostOf(host)
		if host == "localhost" || host == hostOf(listen) {
			return true
		}
		for _, name := range also {
			if host == hostOf(name) {
				return true
			}
		}
		ip, err := netip.ParseAddr(host)
		return err == nil && (ip.Unmap().IsLoopback() || !Local(listen))
	}
}

// ForHosts refuses requests that name other hosts than a function admits.
func ForHosts(admits func(host string) bool, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !admits(r.Host) {
			Refuse(w, http.StatusForbidden, fmt.Sprintf("want a request for localhost, an IP address of this machine, or the host that is listened on, got one for %q", r.Host))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Local reports whether only this machine can connect to a host.
func Local(listen string) bool {
	ip, err := netip.ParseAddr(hostOf(listen))
	return err == nil && ip.Unmap().IsLoopback() || hostOf(listen) == "localhost"
}

// hostOf returns the host of an address with or without a port, in one spelling.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// NewServer returns a server that limits the time and the memory that a client can take before its
// request is read. Handlers that take long bodies, or answer for long, set deadlines of their own.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
	}
}

// Limit passes on at most n requests at a time, and refuses others.
func Limit(n int, h http.Handler) http.Handler {
	room := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			Refuse(w, http.StatusTooManyRequests, "too many requests at a time: send this one again later")
		}
	})
}
