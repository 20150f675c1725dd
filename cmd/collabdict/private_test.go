package main

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// Models, results and logs follow from participants' rows, so only their owner can read them.
func TestResultsAreTheOwners(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four processes")
	}
	t.Parallel()
	dir := t.TempDir()
	for out, command := range map[string][]string{
		"sim": {"sim", "--model", "ggm"}, "up": {"up", "--model", "ggm"}, "own": {"sim", "--model", "bvae", "--condition", "cgau", "--hidden", "4", "--latent", "2"},
	} {
		args := append(command, "--generate", "participants=3,rows=40,columns=3,patterns=2", "--rounds", "2", "--out", out, "--json")
		if code, said := start(t, dir, args...).end(t); code != 0 {
			t.Fatalf("%q: exit code %d; it said:\n%s", args, code, said)
		}
		files := 0
		err := filepath.WalkDir(filepath.Join(dir, out), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			files++
			return err
		})
		if err != nil || files < 9 {
			t.Errorf("%s: %d files, %v", out, files, err)
		}
	}
}
