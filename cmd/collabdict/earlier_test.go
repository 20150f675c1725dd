package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/internal/atomicfile"
)

// Of the files that were there, those that a run writes again are its own; the others
// are removed when its result stands. What has come since, or is no file of a run,
// stays.
func TestEarlierFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(paths ...string) {
		for _, p := range paths {
			if err := atomicfile.WriteJSON(filepath.Join(dir, p), "the same"); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("result.json", "a/model.npz", "b/model.npz", "c/notes.txt")
	before := earlierIn(dir, append(inFolders([]string{"a", "b", "c"}, "model.npz"), "result.json", "c")...)
	write("result.json", "a/model.npz", "c/model.npz")
	if got, want := before.left(), []string{filepath.Join(dir, "b", "model.npz")}; !reflect.DeepEqual(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	if err := before.remove(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"result.json": true, "a/model.npz": true, "b/model.npz": false, "c/model.npz": true, "c/notes.txt": true} {
		if _, err := os.Stat(filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left := before.left(); left != nil {
		t.Errorf("left %v", left)
	}
}
