// Package docs_test holds the rules that the documents follow.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostWords bounds the README and the pages for users together: what nobody can read in an
// evening is not read.
const mostWords = 22000

// document is a Markdown file of the repository.
type document struct {
	path  string
	text  string
	lines []line
}

// line is one line of prose, a heading or a row of a table: blocks of code are left out.
type line struct {
	number int
	text   string
}

// documents returns all Markdown files of the repository, by their cleaned paths.
func documents(t *testing.T) map[string]document {
	all := map[string]document{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "..":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".md"):
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc := document{path: path, text: string(b)}
		end := ""
		for i, text := range strings.Split(doc.text, "\n") {
			switch {
			case end != "":
				if strings.HasPrefix(text, end) {
					end = ""
				}
			case strings.HasPrefix(text, "```"):
				end = "```"
			case strings.HasPrefix(text, "<!--"):
				if !strings.Contains(text, "-->") {
					end = "-->"
				}
			default:
				doc.lines = append(doc.lines, line{i + 1, text})
			}
		}
		all[path] = doc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("there are no documents")
	}
	return all
}

// forUsers reports whether a page is for users, and not for those who change the program.
func forUsers(path string) bool {
	return path == "../README.md" || regexp.MustCompile(`^(tutorial|how-to|models|explanation)/`).MatchString(strings.TrimPrefix(path, "../docs/"))
}

var (
	// hidden matches comments, such as the steps that only tests run.
	hidden = regexp.MustCompile(`(?s)<!--.*?-->`)
	// word matches a word, and no line of a table.
	word = regexp.MustCompile(`\S*[\p{L}\p{N}]\S*`)
)

func TestPagesForUsersAreShort(t *testing.T) {
	total := 0
	for path, doc := range documents(t) {
		if forUsers(path) {
			total += len(word.FindAllString(hidden.ReplaceAllString(doc.text, ""), -1))
		}
	}
	t.Logf("%d words", total)
	if total > mostWords {
		t.Errorf("the README and the pages for users have %d words, want at most %d", total, mostWords)
	}
}

// A reader sees at once what a page is good for.
func TestPagesBeginWithWhatTheReaderCanDo(t *testing.T) {
	you := regexp.MustCompile(`(?i)\byour?\b`)
	for path, doc := range documents(t) {
		if !forUsers(path) && !strings.HasPrefix(path, "../docs/reference/") {
			continue
		}
		first := ""
		for _, l := range doc.lines {
			if l.text == "" && first != "" {
				break
			}
			if l.text != "" && !strings.HasPrefix(l.text, "# ") {
				first += " " + l.text
			}
		}
		if first = strings.TrimSpace(first); first == "" || strings.ContainsAny(first[:1], "#|-!") || !you.MatchString(first) {
			t.Errorf("%s begins with %q: want a sentence with what you, the reader, can do", path, first)
		}
	}
}

func TestTableCellsAreShort(t *testing.T) {
	const most = 19
	for path, doc := range documents(t) {
		for _, l := range doc.lines {
			if !strings.HasPrefix(l.text, "|") {
				continue
			}
			for cell := range strings.SplitSeq(strings.ReplaceAll(l.text, `\|`, "/"), "|") {
				if n := len(strings.Fields(cell)); n > most {
					t.Errorf("%s:%d: a cell of %d words, want at most %d: %s", path, l.number, n, most, strings.TrimSpace(cell))
				}
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#+ +(.*?) *$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the names of a page's headings, as GitHub makes them.
func anchors(doc document) map[string]bool {
	all := map[string]bool{}
	for _, l := range doc.lines {
		if m := heading.FindStringSubmatch(l.text); m != nil {
			text := link.ReplaceAllString(strings.ReplaceAll(m[1], "[", ""), "")
			all[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(text), ""), " ", "-")] = true
		}
		for _, m := range anchor.FindAllStringSubmatch(l.text, -1) {
			all[m[1]] = true
		}
	}
	return all
}

// Each link leads to a file that exists and to a heading in it.
func TestLinks(t *testing.T) {
	all := documents(t)
	for path, doc := range all {
		for _, l := range doc.lines {
			for _, m := range link.FindAllStringSubmatch(l.text, -1) {
				to, name, _ := strings.Cut(m[1], "#")
				if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
					continue
				}
				target := path
				if to != "" {
					target = filepath.Join(filepath.Dir(path), to)
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s:%d: %s: no such file", path, l.number, m[1])
				} else if name != "" && !anchors(all[target])[name] {
					t.Errorf("%s:%d: %s: no such heading", path, l.number, m[1])
				}
			}
		}
	}
}

// Each page that the source and the help name exists.
func TestPagesThatTheSourceNames(t *testing.T) {
	named := regexp.MustCompile(`docs/[a-z0-9/-]+\.md`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && strings.HasPrefix(d.Name(), ".") && path != ".." {
				err = filepath.SkipDir
			}
			return err
		}
		if !regexp.MustCompile(`\.(go|sh|ya?ml|txtar|service)$|Makefile$`).MatchString(path) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range named.FindAllString(string(b), -1) {
			if _, err := os.Stat(filepath.Join("..", name)); err != nil {
				t.Errorf("%s names %s: no such page", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
