package collabdict_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// mostWords is the largest number of words in a sentence of a comment. Vale checks documents
// and messages: it does not find the sentences of comments.
const mostWords = 45

// TestCommentsHaveShortSentences checks the sentences of comments. Lines of code in them, which
// begin with a tab, do not count.
func TestCommentsHaveShortSentences(t *testing.T) {
	testkit.SkipRaced(t)
	count := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range f.Comments {
			for _, sentence := range sentences(group) {
				count++
				if n := len(wordsOfSentence.FindAllString(sentence, -1)); n > mostWords {
					t.Errorf("%s: a sentence of %d words, want at most %d: %s", files.Position(group.Pos()), n, mostWords, sentence)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Error("there are no comments")
	}
}

var (
	item            = regexp.MustCompile(`^ *(-|\d+\.) `)
	endOfSentence   = regexp.MustCompile(`[.?!] +|[:;] +([A-Z(\[])`)
	wordsOfSentence = regexp.MustCompile(`[\p{L}\p{N}_'’.-]*[\p{L}\p{N}_]`)
)

// sentences returns the sentences of a comment. A paragraph and an item of a list end one.
func sentences(group *ast.CommentGroup) (all []string) {
	paragraph := ""
	end := func() {
		all = append(all, strings.Split(endOfSentence.ReplaceAllString(paragraph, ".\n$1"), "\n")...)
		paragraph = ""
	}
	for _, c := range group.List {
		line := strings.TrimPrefix(c.Text, "//")
		switch {
		case strings.HasPrefix(line, "\t"):
		case strings.TrimSpace(line) == "":
			end()
		case item.MatchString(line):
			end()
			fallthrough
		default:
			paragraph += " " + strings.TrimSpace(line)
		}
	}
	end()
	return all
}
