package follow_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/data/follow"
)

// steps runs a step each time that a tail waits, and ends its context after the last.
type steps struct {
	t      *testing.T
	cancel context.CancelFunc
	of     []func()
	told   []string
}

func (s *steps) wait() <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	if len(s.of) == 0 {
		s.cancel()
		return c
	}
	step := s.of[0]
	s.of = s.of[1:]
	step()
	return c
}

// all follows a file from a place until the steps are over. It returns the text of each file, and the place after
// the last line.
func (s *steps) all(path string, at *follow.Place) (texts []string, skip int, last *follow.Place) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	s.cancel = cancel
	tail := &follow.Tail{Path: path, Wait: s.wait, Tell: func(line string) { s.told = append(s.told, line) }}
	defer tail.Close()
	f, skip, err := tail.Open(ctx, at)
	for err == nil {
		if _, err = f.Ready(); err != nil {
			break
		}
		var text []byte
		text, err = io.ReadAll(f)
		texts = append(texts, string(text))
		last = f.Place(strings.Count(string(text), "\n"))
		if err == nil {
			f, err = tail.Next(ctx)
		}
	}
	if !errors.Is(err, context.Canceled) {
		s.t.Fatal(err)
	}
	return texts, skip, last
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, path, to string) {
	t.Helper()
	if err := os.Rename(path, to); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatFollowEachOther(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps func(t *testing.T, path string) []func()
		want  []string
		told  int
	}{
		{"a file that is made later, and lines in parts", func(t *testing.T, path string) []func() {
			return []func(){
				func() {},
				func() { write(t, path, "x\n1") },
				func() { write(t, path, "0") },
				func() { write(t, path, "\n2\n") },
				func() {},
			}
		}, []string{"x\n10\n2\n"}, 1},
		{"renamed and made anew, while the writer still writes to the old one", func(t *testing.T, path string) []func() {
			write(t, path, "x\n1\n")
			return []func(){
				func() { rename(t, path, path+".1"); write(t, path, "y,x\n3,3\n") },
				func() { write(t, path+".1", "2") },
				func() { write(t, path+".1", "2\n") },
				func() {},
				func() {},
			}
		}, []string{"x\n1\n22\n", "y,x\n3,3\n"}, 0},
		{"renamed, and made anew much later; the last line has no end", func(t *testing.T, path string) []func() {
			write(t, path, "x\n1\n2")
			return []func(){
				func() { rename(t, path, path+".1") },
				func() {},
				func() { write(t, path, "x\n3\n") },
				func() {}, func() {},
			}
		}, []string{"x\n1\n2", "x\n3\n"}, 0},
		{"copied and truncated", func(t *testing.T, path string) []func() {
			write(t, path, "x\n1\n")
			return []func(){
				func() { truncate(t, path) },
				func() { write(t, path, "x\n2\n") },
				func() {},
			}
		}, []string{"x\n1\n", "x\n2\n"}, 0},
		{"truncated, and longer than before at the next look", func(t *testing.T, path string) []func() {
			write(t, path, "x\n1\n")
			return []func(){
				func() { truncate(t, path); write(t, path, "x\n4\n5\n6\n") },
				func() {},
			}
		}, []string{"x\n1\n", "x\n4\n5\n6\n"}, 0},
		{"truncated in the middle of a line, by a writer that writes no header again", func(t *testing.T, path string) []func() {
			write(t, path, "at,x\n1,2\n2,")
			return []func(){
				func() { truncate(t, path); write(t, path, "3,4\n5,6\n") },
				func() {},
			}
		}, []string{"at,x\n1,2\n", "at,x\n3,4\n5,6\n"}, 1},
		{"other columns", func(t *testing.T, path string) []func() {
			write(t, path, "x,at\n1,2\n")
			return []func(){
				func() { rename(t, path, path+".1"); write(t, path, "p,q\n3,4\n") },
				func() {}, func() {},
			}
		}, []string{"x,at\n1,2\n", "p,q\n3,4\n"}, 0},
		{"decimal commas, without a header again", func(t *testing.T, path string) []func() {
			write(t, path, "at;x;y\n1;2,5;3\n")
			return []func(){
				func() { truncate(t, path); write(t, path, "2;3,5;\n") },
				func() {},
			}
		}, []string{"at;x;y\n1;2,5;3\n", "at;x;y\n2;3,5;\n"}, 0},
		{"a line before the header", func(t *testing.T, path string) []func() {
			write(t, path, "at,x,y\n1,2,3\n")
			return []func(){
				func() { truncate(t, path); write(t, path, "logger,7\nat,x,y\n") },
				func() {},
			}
		}, []string{"at,x,y\n1,2,3\n", "logger,7\nat,x,y\n"}, 0},
		{"an empty file between", func(t *testing.T, path string) []func() {
			write(t, path, "x\n1\n")
			return []func(){
				func() { rename(t, path, path+".1"); write(t, path, "") },
				func() {},
				func() { rename(t, path, path+".0"); write(t, path, "x\n2\n") },
				func() {}, func() {}, func() {},
			}
		}, []string{"x\n1\n", "", "x\n2\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.csv")
			s := &steps{t: t, of: c.steps(t, path)}
			got, _, _ := s.all(path, nil)
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(s.told) != c.told {
				t.Errorf("got %q, want %q; told %q", got, c.want, s.told)
			}
		})
	}
}

// A place is found again in its file, also if that was renamed or copied in between, and otherwise the file of the
// path is another one.
func TestPlacesAreFoundAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(t *testing.T, path string)
		want    []string
		skip    int
		told    int
	}{
		{"the same file", func(t *testing.T, path string) { write(t, path, "2\n") }, []string{"x\n1\n2\n"}, 2, 0},
		{"renamed and made anew", func(t *testing.T, path string) {
			write(t, path, "2\n")
			rename(t, path, path+".1")
			write(t, path, "x\n3\n")
		}, []string{"x\n1\n2\n", "x\n3\n"}, 2, 0},
		{"copied and truncated", func(t *testing.T, path string) {
			write(t, path+"-20261107", "x\n1\n2\n")
			truncate(t, path)
			write(t, path, "3\n4\n5\n")
		}, []string{"x\n1\n2\n", "x\n3\n4\n5\n"}, 2, 0},
		{"another file", func(t *testing.T, path string) {
			truncate(t, path)
			write(t, path, "x\n3\n4\n")
		}, []string{"x\n3\n4\n"}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.csv")
			write(t, path, "x\n1\n")
			_, _, place := (&steps{t: t}).all(path, nil)
			if err := place.Check(); err != nil {
				t.Fatal(err)
			}
			c.between(t, path)
			s := &steps{t: t, of: []func(){func() {}, func() {}}}
			got, skip, _ := s.all(path, place)
			if strings.Join(got, "|") != strings.Join(c.want, "|") || skip != c.skip || len(s.told) != c.told {
				t.Errorf("got %q and %d, want %q and %d; told %q", got, skip, c.want, c.skip, s.told)
			}
		})
	}
}

func TestFilesThatCannotBeFollowed(t *testing.T) {
	dir := t.TempDir()
	zipped := filepath.Join(dir, "rows.csv.gz")
	write(t, zipped, "\x1f\x8b\x08")
	for _, path := range []string{dir, zipped} {
		tail := &follow.Tail{Path: path, Wait: func() <-chan time.Time { t.Error("waits"); return nil }}
		f, _, err := tail.Open(t.Context(), nil)
		if err == nil {
			_, err = f.Ready()
		}
		tail.Close()
		if !errors.Is(err, follow.ErrForm) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
