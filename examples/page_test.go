package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// The code on the page is that of the examples, line by line. A line "// ..." stands for lines
// that the page leaves out.
func TestThePageHasTheExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/use-as-a-library.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, "\n"+string(text))
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Error("the page has no code")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		found := false
		for _, example := range examples {
			found = found || abridges(code, example)
		}
		if !found {
			t.Errorf("this is in no example:\n%s", code)
		}
	}
}

// abridges reports whether text has the parts of code between lines "// ...", in their order.
func abridges(code, text string) bool {
	part := "\n"
	for line := range strings.Lines(code + "// ...\n") {
		if strings.TrimSpace(line) != "// ..." {
			part += line
			continue
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, part = text[at+len(part)-1:], "\n"
	}
	return part == "\n"
}

// The commands on the page let a program in an empty folder beside a checkout use the module.
func TestThePageUsesACheckout(t *testing.T) {
	testkit.LongOnly(t)
	page, err := os.ReadFile("../docs/how-to/use-as-a-library.md")
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	err = os.CopyFS(mine, os.DirFS("mean"))
	if err == nil {
		err = os.Symlink(checkout, filepath.Join(dir, "collabdict"))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(page), "```sh\n")
	commands, _, _ := strings.Cut(block, "```")
	if !found {
		t.Fatal("the page has no commands")
	}
	for line := range strings.Lines(commands + "go build -o mine .\n./mine version\n") {
		words := strings.Fields(line)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = mine
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

func TestAbridges(t *testing.T) {
	const text = "\na\nb\nc\nd\n"
	for code, want := range map[string]bool{
		"a\nb\n":               true,
		"b\n\t// ...\nd\n":     true,
		"a\n// ...\nb\n":       true,
		"d\n// ...\na\n":       false,
		"a\nc\n":               false,
		"a\n// ...\ne\n":       false,
		"// ...\nc\n// ...\nd": false,
	} {
		if got := abridges(code, text); got != want {
			t.Errorf("%q: got %t, want %t", code, got, want)
		}
	}
}
