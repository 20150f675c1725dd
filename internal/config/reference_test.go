package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The agreement in the reference is valid.
func TestTheReferenceIsRight(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "files.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)## consortium.yaml.*?```yaml\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("no example")
	}
	text := regexp.MustCompile(`(?m)^  # at least two.*$`).ReplaceAll(example[1], []byte("  - {name: b, id: x, addrs: []}\n  - {name: c, id: y, addrs: []}"))
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Task()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Complete(); err != nil {
		t.Error(err)
	}
}
