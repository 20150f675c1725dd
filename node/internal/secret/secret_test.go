package secret

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestASecretIsMadeAndRead(t *testing.T) {
	dir := t.TempDir()
	var made []Secret
	for _, name := range []string{"one", "two"} {
		path := filepath.Join(dir, name)
		if err := Make(path); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path)
		if err != nil || len(s) != 32 {
			t.Fatalf("%d bytes, %v", len(s), err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		made = append(made, s)
	}
	if bytes.Equal(made[0], made[1]) {
		t.Error("two secrets are the same")
	}
	if err := Make(filepath.Join(dir, "one")); err == nil {
		t.Error("a secret was replaced")
	}
	if s, err := Read(filepath.Join(dir, "one")); err != nil || !bytes.Equal(s, made[0]) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWeakAndOpenSecretsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	for text, want := range map[string]string{
		"":                           "got 0",
		"00112233445566778899aabbcc": "want a secret of 128 to 512 bits, got 104",
		"correct horse battery staple correct horse": "hexadecimal digits",
		strings.Repeat("ab", 65):                     "got 520",
		strings.Repeat("ab", 1000):                   "got 1024",
		strings.Repeat("ab\n", 20):                   "in one line",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("AB", 16)+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Read(path); err != nil || len(s) != 16 {
		t.Errorf("%d bytes, %v", len(s), err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "only its owner") {
		t.Errorf("a file that others can read: %v", err)
	}
}
