package operate

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// parts are the files of a page.
var parts = fstest.MapFS{
	"index.html": {Data: []byte("<link rel=\"icon\" href=\"icon.svg\">\n<link rel=\"stylesheet\" href=\"page.css\">\n<script type=\"module\" src=\"page.js\"></script>\n")},
	"page.css":   {Data: []byte("p { color: red }")},
	"page.js":    {Data: []byte(`of("</script>")`)},
}

// A page in one file allows its own script and style alone, and no text of a run becomes markup.
func TestAPageInOneFile(t *testing.T) {
	p := NewPage(systemClock)
	s := inRound(1, 3)
	s.Model = "</script><script>alert(1)</script>"
	p.Next(s)
	p.SetModel(&Learned{Kind: "ggm"})
	var b bytes.Buffer
	if err := p.WriteHTML(&b, parts); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d elements of scripts end, want 2: %s", n, text)
	}
	if strings.Contains(text, "href=") || strings.Contains(text, "src=") {
		t.Errorf("the file names others: %s", text)
	}
	for _, element := range []string{`<style>([^<]*)</style>`, `(?s)<script type="module">(.*?)</script>`} {
		m := regexp.MustCompile(element).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s", element)
		}
		sum := sha256.Sum256([]byte(m[1]))
		if !strings.Contains(text, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy does not allow %q", m[1])
		}
	}
	var of kept
	m := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(text)
	if err := json.Unmarshal([]byte(m[1]), &of); err != nil || of.Run.Status.Model != s.Model || of.Model.Kind != "ggm" {
		t.Errorf("got %+v: %v", of, err)
	}
}

// full refuses what is written.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAPageThatCannotBeWritten(t *testing.T) {
	p := NewPage(systemClock)
	if err := p.WriteHTML(full{}, parts); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if err := p.WriteHTML(&bytes.Buffer{}, fstest.MapFS{}); err == nil {
		t.Error("a page without files was written")
	}
}
