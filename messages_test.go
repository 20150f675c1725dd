package collabdict_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

var table = flag.String("table", "", "write the table of all messages to this `file`")

// A message is a text in the source that a user may read: an error, a warning, a line of
// progress, or help.
type message struct {
	where string // file and line
	text  string
}

// messages returns the texts of at least three words in files other than tests.
func messages(t *testing.T) (found []message) {
	t.Helper()
	testkit.SkipRaced(t)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				field.Tag = nil
			}
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				if err == nil && len(words.FindAllString(text, 3)) == 3 && strings.Contains(strings.TrimSpace(text), " ") {
					found = append(found, message{fmt.Sprintf("%s:%d", filepath.ToSlash(path), files.Position(l.Pos()).Line), text})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	words    = regexp.MustCompile(`[A-Za-z]{2,}`)
	someone  = regexp.MustCompile(`\b(please|simply|oops|sorry)\b|\w!($| )`)
	anyOrOne = regexp.MustCompile(`[a-z]\(s\)`)
)

// Messages are short, plain and calm. With -table, the test writes all of them to a file, to be
// read by people and by Vale.
func TestMessages(t *testing.T) {
	all := messages(t)
	if len(all) == 0 {
		t.Fatal("there are no messages")
	}
	for _, m := range all {
		for _, rule := range []struct {
			wrong bool
			why   string
		}{
			{anyOrOne.MatchString(m.text), `"(s)": write the plural, or choose by the number`},
			{someone.MatchString(m.text), "no please and no exclamation mark"},
			{strings.Contains(m.text, "  ") && strings.Contains(m.text, ": want "), "two spaces"},
		} {
			if rule.wrong {
				t.Errorf("%s: %q: %s", m.where, m.text, rule.why)
			}
		}
	}
	if *table == "" {
		return
	}
	// One paragraph per message or item of a list, with verbs of fmt and settings as code.
	var b strings.Builder
	item := regexp.MustCompile(`\n\n|\n  +\b`) // a paragraph or an item of a list begins
	verb := regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]|\S+=\S+`)
	for _, m := range all {
		text := verb.ReplaceAllString(strings.ReplaceAll(m.text, "`", "'"), "`$0`")
		for _, part := range item.Split(text, -1) {
			fmt.Fprintf(&b, "`%s` %s\n\n", m.where, strings.Join(strings.Fields(part), " "))
		}
	}
	if err := os.WriteFile(*table, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
