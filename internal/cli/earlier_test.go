package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/internal/files"
)

// A run keeps the earlier files that it writes again, and removes the others when its result is
// complete. Newer files, and files of no run, stay.
func TestEarlierFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(paths ...string) {
		for _, p := range paths {
			if err := files.WriteJSON(filepath.Join(dir, p), "the same"); err != nil {
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
