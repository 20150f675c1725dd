package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Models, results and logs follow from participants' rows, so only their owner can read them.
func TestResultsAreTheOwners(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
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

// Files that a user names, and that follow from rows, are the owner's as well. Others are for
// everybody.
func TestNamedFilesAreTheOwners(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	for s, name := range []string{"a.csv", "b.csv", "c.csv"} {
		var text strings.Builder
		text.WriteString("x,y\n")
		for i := range 40 {
			fmt.Fprintf(&text, "%d,%d\n", (i*7+s)%11, (i*5+3*s)%13)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	do := func(args ...string) {
		t.Helper()
		if code, said := start(t, dir, args...).end(t); code != 0 {
			t.Fatalf("%q: exit code %d; it said:\n%s", args, code, said)
		}
	}
	do("sim", "--data", "*.csv", "--components", "2", "--rounds", "2", "--out", "m")
	do("sim", "--data", "*.csv", "--model", "mtvae", "--hidden", "4", "--latent", "2", "--rounds", "2", "--out", "n")
	const mixture, network = "m/a/model.npz", "n/a/model.npz"
	do("score", "--model", mixture, "--data", "a.csv", "-o", "scores.csv")
	do("score", "--model", mixture, "--data", "a.csv", "--explain", "-o", "why.csv")
	do("inspect", "--model", mixture, "--data", "a.csv", "--plots", "figures")
	do("score", "--model", mixture, "--data", "a.csv", "--plots", "figures")
	do("export", "--model", network, "--to", "onnx", "-o", "network.onnx")
	do("export", "--model", mixture, "--to", "onnx", "--with", "own", "-o", "own.onnx")
	do("export", "--model", mixture, "--to", "json", "-o", "shared.json")
	for name, want := range map[string]fs.FileMode{
		"scores.csv": 0o600, "why.csv": 0o600, "figures/scores.svg": 0o600, "figures/scores-over-time-a.svg": 0o600, "figures/component-weights.svg": 0o600,
		"network.onnx": 0o600, "own.onnx": 0o600, "shared.json": 0o644,
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %v", name, info, err, want)
		}
	}
}
