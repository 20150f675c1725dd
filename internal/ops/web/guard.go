package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// A Guard passes on the requests of those who have a secret: a program that sends the token, or a
// browser that was opened with the ticket. It refuses pages of other origins and other names of this
// host. Safe for concurrent use.
type Guard struct {
	hosts   func(host string) bool
	open    []string
	token   string
	session string // value of the cookie
	cookie  string // its name

	mu     sync.Mutex
	ticket string // "" once it was used
}

// NewGuard returns a guard with the token of programs. hosts reports whether requests may name a
// host, which can have a port. Requests for the paths in open, which reveal nothing, need no secret.
// Browsers share cookies between the ports of a host, so name tells servers of one machine apart.
// random is a source of secrets; nil stands for the system's.
func NewGuard(token, name string, hosts func(string) bool, random io.Reader, open ...string) *Guard {
	return &Guard{hosts: hosts, open: open, token: token, cookie: "collabdict-" + name, session: NewToken(random), ticket: NewToken(random)}
}

// NewToken returns a new secret of 256 bits, in letters that need no escape.
func NewToken(random io.Reader) string {
	b := make([]byte, 32)
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, b); err != nil {
		panic("web: no randomness: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ticketKey is the parameter of an address with a ticket.
const ticketKey = "ticket"

// sessionAge is the time that a browser keeps its session, in seconds. The server may end earlier.
const sessionAge = 30 * 24 * 3600

// Address returns an address that opens a page once, given that of the server. The browser that opens
// it first has a session until the server ends.
func (g *Guard) Address(server string) string {
	return server + "/?" + url.Values{ticketKey: {g.ticket}}.Encode()
}

// Wrap returns a handler that passes on the requests that the guard admits.
func (g *Guard) Wrap(h http.Handler) http.Handler {
	return ForHosts(g.hosts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		switch {
		case foreign(r):
			Refuse(w, http.StatusForbidden, "want a request of this server's own pages, or of a program, got one of another page")
		case g.isOpen(r.URL.Path):
			h.ServeHTTP(w, r)
		case r.Method == http.MethodGet && r.URL.Query().Has(ticketKey):
			g.enter(w, r)
		case g.admits(r):
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="collabdict"`)
			Refuse(w, http.StatusUnauthorized, "want the header Authorization: Bearer TOKEN, or a browser that has opened the address that the program prints")
		}
	}))
}

func (g *Guard) isOpen(path string) bool {
	for _, p := range g.open {
		if p == path {
			return true
		}
	}
	return false
}

// enter gives a session to who has the ticket, and removes the ticket from the address, which
// browsers keep.
func (g *Guard) enter(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	valid := g.ticket != "" && same(r.URL.Query().Get(ticketKey), g.ticket)
	if valid {
		g.ticket = ""
	}
	g.mu.Unlock()
	if !valid && !g.admits(r) { // a page that is loaded again has its session
		Refuse(w, http.StatusForbidden, "this address was used, or is of an earlier start: start the program again, and open the address that it prints")
		return
	}
	if valid {
		http.SetCookie(w, &http.Cookie{
			Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
			MaxAge: sessionAge, // so that a browser can be closed meanwhile
		})
	}
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
}

func (g *Guard) admits(r *http.Request) bool {
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") {
		return g.token != "" && same(token, g.token)
	}
	c, err := r.Cookie(g.cookie)
	return err == nil && same(c.Value, g.session)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// foreign reports whether a page of another origin sends the request. A link that is followed has no
// cookie, as that is strict.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err != nil || !strings.EqualFold(u.Host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet
}

// protect sets the headers with which a browser runs nothing but this server's own scripts, shows
// the page in no other, and keeps no copy.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

// Refuse answers with a code and a reason, in the form of RFC 9457.
func Refuse(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	fmt.Fprintf(w, "{\"status\":%d,\"title\":%q,\"detail\":%q}\n", code, http.StatusText(code), reason)
}
