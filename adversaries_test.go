package collabdict_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testsOf returns the names of all tests and fuzz targets of the module.
func testsOf(t *testing.T) map[string]bool {
	t.Helper()
	declared, names := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`), map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// find returns the matches of an expression's first group in a file.
func find(t *testing.T, path, expression string) (found []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(string(b), -1) {
		found = append(found, m[1])
	}
	if found == nil {
		t.Fatalf("%s: nothing matches %s", path, expression)
	}
	return found
}

// The page on misuse lists each message that members send each other, with each way to misuse
// it, and names only tests that exist.
func TestEveryMessageHasItsAdversaries(t *testing.T) {
	ways := []string{"lies", "equivocates", "withholds", "replays"}
	results := []string{"stopped", "named", "detected", "bounded", "not covered"}
	messages := find(t, "consensus/message.go", `(?m)^func \(\*(\w+)\) +body\(\)`)
	messages = append(messages, find(t, "internal/wire/hello.go", `(?m)^func Unmarshal(\w+)\(`)...)
	tests, covered := testsOf(t), map[string]bool{}
	for _, row := range find(t, "docs/misuse.md", "(?m)^\\| (`[A-Z].*) \\|$") {
		cells := strings.Split(row, " | ")
		if len(cells) != 5 {
			t.Errorf("want 5 cells, got %q", row)
			continue
		}
		for _, c := range cells {
			if words := len(strings.Fields(c)); words >= 20 {
				t.Errorf("want fewer than 20 words in a cell, got %d: %q", words, c)
			}
		}
		message := strings.Trim(cells[0], "`")
		if !slices.Contains(messages, message) {
			t.Errorf("want one of the messages %v, got %q", messages, message)
		}
		for _, way := range strings.Split(cells[1], ", ") {
			if !slices.Contains(ways, way) {
				t.Errorf("%s: want one of %v, got %q", message, ways, way)
			}
			covered[message+" "+way] = true
		}
		if !slices.Contains(results, cells[2]) {
			t.Errorf("%s: want one of %v, got %q", message, results, cells[2])
		}
		for _, name := range strings.Split(cells[4], ", ") {
			if !tests[strings.Trim(name, "`")] {
				t.Errorf("%s: there is no test %s", message, name)
			}
		}
	}
	for _, m := range messages {
		for _, way := range ways {
			if !covered[m+" "+way] {
				t.Errorf("the page does not say what happens to the others when a member %s in a %s", way, m)
			}
		}
	}
}
