package operate

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
)

// kept is what a page that is one file shows.
type kept struct {
	Run     *Run     `json:"run"` // null if the folder has none
	Privacy *Privacy `json:"privacy"`
	Model   *Learned `json:"model"`
}

// WriteHTML writes the page with its files as one file, which a browser opens without a server. Its
// scripts and styles are those of the files alone: the file names their digests.
func (p *Page) WriteHTML(w io.Writer, files fs.FS) error {
	parts := map[string][]byte{}
	for _, name := range []string{"index.html", "page.css", "page.js"} {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		parts[name] = text
	}
	all := p.since(0, 0)
	data, err := json.Marshal(kept{Run: all.run, Privacy: all.privacy, Model: all.model}) // < is escaped, so no text in it ends the element
	if err != nil {
		return err
	}
	style := parts["page.css"]
	script := bytes.ReplaceAll(parts["page.js"], []byte("</script"), []byte(`<\/script`))
	head := fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src %s">`+
		"\n<style>%s</style>\n<script type=\"application/json\" id=\"data\">%s</script>\n<script type=\"module\">%s</script>",
		digest(script), digest(style), style, data, script)
	html := parts["index.html"]
	for _, c := range []struct{ old, with string }{
		{`<link rel="icon" href="icon.svg">` + "\n", ""},
		{`<link rel="stylesheet" href="page.css">` + "\n", ""},
		{`<script type="module" src="page.js"></script>`, head},
	} {
		if !bytes.Contains(html, []byte(c.old)) {
			panic("operate: the page has no " + c.old)
		}
		html = bytes.Replace(html, []byte(c.old), []byte(c.with), 1)
	}
	_, err = w.Write(html)
	return err
}

// digest returns the source of a Content-Security-Policy that allows one text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
