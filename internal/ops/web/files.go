package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// kinds are the types of the files of pages. A system's own table could name others.
var kinds = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// AddFiles serves the files of a folder at their names, and index.html at the root. Browsers may keep
// them, as nothing in them is secret, but ask each time whether they have changed. It panics if the
// program was built with a file of another type.
func AddFiles(mux *http.ServeMux, of fs.FS) {
	entries, err := fs.ReadDir(of, ".")
	if err != nil {
		panic("web: " + err.Error())
	}
	for _, e := range entries {
		text, err := fs.ReadFile(of, e.Name())
		if err != nil {
			panic("web: " + err.Error())
		}
		kind, ok := kinds[path.Ext(e.Name())]
		if !ok {
			panic(fmt.Sprintf("web: %s has no known type", e.Name()))
		}
		at := "/" + e.Name()
		if at == "/index.html" {
			at = "/{$}"
		}
		sum := sha256.Sum256(text)
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("ETag", tag)
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
		})
	}
}
