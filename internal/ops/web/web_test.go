package web

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func newGuard(t *testing.T) *Guard {
	t.Helper()
	secrets := make([]byte, 64)
	for i := range secrets {
		secrets[i] = byte(i)
	}
	return NewGuard("secret", "8086", Hosts("127.0.0.1"), bytes.NewReader(secrets), "/healthz")
}

func ask(g *Guard, method, address string, header map[string]string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, nil)
	for name, v := range header {
		r.Header.Set(name, v)
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "own rows") })).ServeHTTP(w, r)
	return w
}

func TestGuardAdmitsWhoHasASecret(t *testing.T) {
	const here = "http://127.0.0.1:8086/v1/score"
	for _, c := range []struct {
		name, method, address string
		header                map[string]string
		want                  int
	}{
		{"nothing", "GET", here, nil, 401},
		{"the token", "POST", here, map[string]string{"Authorization": "Bearer secret"}, 200},
		{"another token", "POST", here, map[string]string{"Authorization": "Bearer secreT"}, 401},
		{"an empty token", "POST", here, map[string]string{"Authorization": "Bearer "}, 401},
		{"a password", "POST", here, map[string]string{"Authorization": "Basic secret"}, 401},
		{"a cookie that is wrong", "GET", here, map[string]string{"Cookie": "collabdict-8086=secret"}, 401},
		{"health without a secret", "GET", "http://127.0.0.1:8086/healthz", nil, 200},
		{"a path below that of health", "GET", "http://127.0.0.1:8086/healthz/x", nil, 401},
		{"another host", "GET", "http://evil.example/healthz", nil, 403},
		{"a host that begins like this one", "GET", "http://127.0.0.1.evil.example/healthz", nil, 403},
		{"another origin", "POST", here, map[string]string{"Authorization": "Bearer secret", "Origin": "http://evil.example"}, 403},
		{"another port", "POST", here, map[string]string{"Authorization": "Bearer secret", "Origin": "http://127.0.0.1:9"}, 403},
		{"no origin", "POST", here, map[string]string{"Authorization": "Bearer secret", "Origin": "null"}, 403},
		{"this origin", "POST", here, map[string]string{"Authorization": "Bearer secret", "Origin": "http://127.0.0.1:8086"}, 200},
		{"a picture in another page", "GET", here, map[string]string{"Authorization": "Bearer secret", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"a form of another page", "POST", here, map[string]string{"Authorization": "Bearer secret", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403},
		{"a ticket that is wrong", "GET", "http://127.0.0.1:8086/?ticket=x", nil, 403},
		{"a ticket that is empty", "GET", "http://127.0.0.1:8086/?ticket=", nil, 403},
	} {
		r := ask(newGuard(t), c.method, c.address, c.header)
		if r.Code != c.want {
			t.Errorf("%s: got %d, want %d", c.name, r.Code, c.want)
		}
		if r.Code != 200 && strings.Contains(r.Body.String(), "own rows") {
			t.Errorf("%s: the answer has rows", c.name)
		}
		if r.Code == 401 && r.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s: the answer does not say how to authenticate", c.name)
		}
	}
}

func TestATicketOpensOneSession(t *testing.T) {
	g := newGuard(t)
	address := g.Address("http://127.0.0.1:8086")
	first := ask(g, "GET", address, nil)
	c, err := http.ParseSetCookie(first.Header().Get("Set-Cookie"))
	if first.Code != http.StatusSeeOther || first.Header().Get("Location") != "/" || err != nil {
		t.Fatalf("got %d to %q: %v", first.Code, first.Header().Get("Location"), err)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || strings.Contains(address, c.Value) {
		t.Errorf("cookie %+v", c)
	}
	if again := ask(g, "GET", address, nil); again.Code != http.StatusForbidden || again.Header().Get("Set-Cookie") != "" {
		t.Errorf("the ticket a second time: got %d", again.Code)
	}
	if r := ask(g, "GET", "http://127.0.0.1:8086/", nil, c); r.Code != 200 {
		t.Errorf("with the cookie: got %d", r.Code)
	}
	if r := ask(g, "GET", address, nil, c); r.Code != http.StatusSeeOther {
		t.Errorf("the address again, with the cookie: got %d", r.Code)
	}
	if r := ask(g, "POST", "http://127.0.0.1:8086/", map[string]string{"Origin": "http://evil.example"}, c); r.Code != http.StatusForbidden {
		t.Errorf("another page, with the cookie: got %d", r.Code)
	}
}

func TestTheCookieIsSecureWithTLS(t *testing.T) {
	g := newGuard(t)
	r := httptest.NewRequest("GET", g.Address("https://localhost:8086"), nil)
	r.TLS = &tls.ConnectionState{}
	w := httptest.NewRecorder()
	g.Wrap(http.NotFoundHandler()).ServeHTTP(w, r)
	if c, err := http.ParseSetCookie(w.Header().Get("Set-Cookie")); err != nil || !c.Secure {
		t.Errorf("got the cookie %v: %v", c, err)
	}
}

// A guard without a token admits no program, not even one that sends none.
func TestNoTokenAdmitsNobody(t *testing.T) {
	g := NewGuard("", "1", Hosts("127.0.0.1"), nil)
	if r := ask(g, "GET", "http://localhost/", map[string]string{"Authorization": "Bearer "}); r.Code != http.StatusUnauthorized {
		t.Errorf("got %d", r.Code)
	}
}

func TestSecretsDiffer(t *testing.T) {
	if a, b := NewToken(nil), NewToken(nil); a == b || len(a) != 43 {
		t.Errorf("got %q and %q", a, b)
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		listen, host string
		want         bool
	}{
		{"127.0.0.1", "localhost:1", true},
		{"127.0.0.1", "[::1]:1", true},
		{"127.0.0.1", "10.0.0.1", false},
		{"0.0.0.0", "10.0.0.1:8086", true},
		{"0.0.0.0", "plant.example", true},
		{"0.0.0.0", "PLANT.example.:443", true},
		{"0.0.0.0", "evil.example", false},
		{"0.0.0.0", "", false},
	} {
		if got := Hosts(c.listen, "plant.example")(c.host); got != c.want && c.listen == "0.0.0.0" {
			t.Errorf("listening on %s, %q is admitted: %t, want %t", c.listen, c.host, got, c.want)
		} else if got := Hosts(c.listen)(c.host); got != c.want && c.listen != "0.0.0.0" {
			t.Errorf("listening on %s, %q is admitted: %t, want %t", c.listen, c.host, got, c.want)
		}
	}
}

func TestLimitRefusesWhatIsTooMany(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	h := Limit(1, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- true; <-end }))
	go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	<-begun
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	end <- true
}
