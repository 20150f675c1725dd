package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFilesOfAPage(t *testing.T) {
	mux := http.NewServeMux()
	AddFiles(mux, fstest.MapFS{"index.html": {Data: []byte("<p>")}, "page.js": {Data: []byte("1")}, "page.css": {Data: []byte("p{}")}, "icon.svg": {Data: []byte("<svg/>")}})
	g := NewGuard("secret", "1", Hosts("127.0.0.1"), nil)
	get := func(path, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		g.Wrap(mux).ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct {
		path string
		code int
		kind string
	}{
		{"/", 200, "text/html; charset=utf-8"},
		{"/page.js", 200, "text/javascript; charset=utf-8"},
		{"/page.css", 200, "text/css; charset=utf-8"},
		{"/icon.svg", 200, "image/svg+xml"},
		{"/index.html", 404, ""},
		{"/other.js", 404, ""},
		{"/../page.js", 307, ""},
	} {
		w := get(c.path, "")
		if w.Code != c.code || c.code == 200 && w.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s: got %d %s", c.path, w.Code, w.Header().Get("Content-Type"))
		}
		if strings.Contains(w.Header().Get("Content-Security-Policy"), "unsafe") || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: policy %q", c.path, w.Header().Get("Content-Security-Policy"))
		}
		if c.code != 200 {
			continue
		}
		if again := get(c.path, w.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s with its tag: got %d", c.path, again.Code)
		}
	}
}
