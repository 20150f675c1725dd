package roster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/node"
)

// agreement writes an agreement of the given number of members, and returns their folders.
func agreement(t *testing.T, members int) (file string, folders []string) {
	t.Helper()
	dir := t.TempDir()
	text := "version: 3\nmembers:\n"
	for i := range members {
		folder := filepath.Join(dir, fmt.Sprintf("m%d", i))
		id, err := node.Identity(folder)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("  - {name: m%d, id: %s}\n", i, id)
		folders = append(folders, folder)
	}
	text += "columns: [x]\nmodel: {kind: ggm, init: init.json}\n"
	file = filepath.Join(dir, "consortium.yaml")
	write(t, file, text)
	write(t, filepath.Join(dir, "init.json"), `{"means": [[0]], "precisions": [[[1]]], "weights": [1]}`)
	return file, folders
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The error names only the first few members.
func TestCheckNamesAFew(t *testing.T) {
	file, folders := agreement(t, 20)
	for signers, want := range map[int]string{3: "not signed by m3, m4, m5, m6, m7, m8, m9, m10 and 9 more;", 11: "not signed by m11, m12, m13, m14, m15, m16, m17, m18, m19;", 20: ""} {
		_, r, err := Sign(file, folders[:signers]...)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d have signed: %v, want %q", signers, err, want)
		}
		write(t, file, strings.Split(read(t, file), "signatures:")[0])
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Signatures cover the content of a file that the agreement names. Text that is not a signature
// is valid for nothing.
func TestFilesAndSignaturesThatChange(t *testing.T) {
	file, folders := agreement(t, 3)
	if _, r, err := Sign(file, folders...); err != nil || r.Check() != nil {
		t.Fatalf("%v, or not all have signed", err)
	}
	text := read(t, file)
	states := func() (list string) {
		r, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.States() {
			list += s.Name + " " + s.State + ", "
		}
		return list
	}
	for _, bad := range []string{"#", "", "AQ=="} {
		i := strings.Index(text, "  m1: ")
		j := i + strings.Index(text[i:], "\n")
		write(t, file, text[:i]+fmt.Sprintf("  m1: %q", bad)+text[j:])
		if got, want := states(), "m0 signed, m1 signed other content, m2 signed, "; got != want {
			t.Errorf("%q: got %s want %s", bad, got, want)
		}
	}
	write(t, file, text)
	write(t, filepath.Join(filepath.Dir(file), "init.json"), `{"means": [[1]], "precisions": [[[1]]], "weights": [1]}`)
	if got, want := states(), "m0 signed other content, m1 signed other content, m2 signed other content, "; got != want {
		t.Errorf("another init.json: got %s want %s", got, want)
	}
}

// The units of columns are signed. An agreement without units has the same signatures as one
// from before units existed.
func TestUnitsAreSigned(t *testing.T) {
	file, folders := agreement(t, 3)
	text := read(t, file)
	write(t, file, text+"units: {}\n")
	if _, _, err := Sign(file, folders...); err != nil {
		t.Fatal(err)
	}
	signed := strings.Replace(read(t, file), "units: {}\n", "", 1)
	for units, want := range map[string]bool{"": true, "units: {x: degC}\n": false} {
		write(t, file, signed+units)
		r, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Check() == nil; got != want {
			t.Errorf("with %q signed: %t, want %t", units, got, want)
		}
	}
	for units, want := range map[string]string{"{y: degC}": `units: "y" is not one of the columns; correct the file`, "{x: ' '}": `units: "x" has no unit; give a unit such as degC or kPa, or leave the column out of units`} {
		write(t, file, text+"units: "+units+"\n")
		if _, err := Read(file); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", units, err, want)
		}
	}
}

// Every setting of the sums is signed. The default scheme follows from the length of the
// vectors, and so do the settings that a run uses.
func TestEverySettingIsSigned(t *testing.T) {
	file, folders := agreement(t, 5)
	if _, _, err := Sign(file, folders...); err != nil {
		t.Fatal(err)
	}
	text := read(t, file)
	for _, setting := range []string{
		"scheme: exact", "step: metropolis", "graph: complete", "degree: 3", "tolerance: 1e-3", "protect: none", "chunks: 3",
		"full_chunks: true", "quorum: 4", "colluders: 2", "recover: wait", "accept_lone_change: true", "on_lone_return: hold",
	} {
		write(t, file, text+"consensus: {"+setting+"}\n")
		r, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if r.Check() == nil {
			t.Errorf("with %s the signatures are still those of the file", setting)
		}
	}
	write(t, file, text+"consensus: {scheme: auto, degree: 4}\n")
	if r, err := Read(file); err != nil || r.Check() != nil {
		t.Errorf("with defaults written out: %v, or the signatures are of another file", err)
	}
}
