package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every blob of the base has the digest that names it, and no reference is missing.
func TestTheBaseIsWhole(t *testing.T) {
	dir := t.TempDir()
	ref, err := write(dir)
	if err != nil {
		t.Fatal(err)
	}
	blobs := filepath.Join(dir, "blobs", "sha256")
	var follow func(digest string)
	seen := 0
	follow = func(digest string) {
		seen++
		name := strings.TrimPrefix(digest, "sha256:")
		b, err := os.ReadFile(filepath.Join(blobs, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != name {
			t.Errorf("%s has another digest", name)
		}
		var refers struct {
			Manifests, Layers []descriptor
			Config            json.RawMessage
		}
		if json.Unmarshal(b, &refers) != nil {
			return // a layer
		}
		var config descriptor
		if json.Unmarshal(refers.Config, &config) == nil && config.Digest != "" {
			follow(config.Digest)
		}
		for _, d := range append(refers.Manifests, refers.Layers...) {
			follow(d.Digest)
		}
	}
	_, digest, _ := strings.Cut(ref, "@")
	follow(digest)
	if want := 1 + 3*len(platforms); seen != want {
		t.Errorf("%d blobs, want %d", seen, want)
	}
}
