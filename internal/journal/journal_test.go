package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// clock is a clock that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func open(t *testing.T, dir string, c *clock) *Journal {
	t.Helper()
	j, err := Open(dir, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// contents returns the lines of a journal.
func contents(t *testing.T, dir string) (list []Line, s *State) {
	t.Helper()
	s, err := Check(dir, func(l Line) { list = append(list, l) })
	if err != nil {
		t.Fatal(err)
	}
	return list, s
}

func onDisk(t *testing.T, dir string) int {
	list, _ := contents(t, dir)
	return len(list)
}

// The begin and the end of a run, and files, are on disk at once, and decisions within a second.
// Events of several processes form one chain.
func TestEventsAreOnDiskInTime(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	j, other := open(t, dir, c), open(t, dir, c)
	if err := j.Begin(began(digest("7"), "ab")); err != nil || onDisk(t, dir) != 2 {
		t.Fatalf("%v, %d lines", err, onDisk(t, dir))
	}
	for i := range 150 {
		c.at = c.at.Add(10 * time.Millisecond)
		if err := j.Decide(Line{Slot: uint64(i), Digest: digest("d")}); err != nil {
			t.Fatal(err)
		}
		if want := 2 + 100*((i+1)/100); onDisk(t, dir) != want {
			t.Fatalf("after %d: %d lines, want %d", i, onDisk(t, dir), want)
		}
	}
	if err := other.Release(released(1, 0.5), nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Flush(), j.Flush(), j.End(Line{Run: digest("7")})); err != nil {
		t.Fatal(err)
	}
	list, s := contents(t, dir)
	if len(list) != 154 || list[102].Event != Release || list[153].Event != Ended || s.Lines != 154 || len(s.Torn) > 0 || list[153].Number != 154 {
		t.Errorf("%d lines, %+v", len(list), s)
	}
	if info, err := os.Stat(filepath.Join(dir, File)); err != nil || info.Mode().Perm() != 0o600 || info.Size() != s.Size {
		t.Errorf("%v, %v", info, err)
	}
	if again := open(t, dir, c); !reflect.DeepEqual(again.view, other.followed(t)) || again.view.next != 150 {
		t.Errorf("read again: %+v", again.view)
	}
}

// followed returns the view of a journal with the lines of other processes.
func (j *Journal) followed(t *testing.T) view {
	t.Helper()
	if _, err := j.Records(); err != nil {
		t.Fatal(err)
	}
	return j.view
}

// The members of totals have a line only if they have changed.
func TestMembersHaveALineIfTheyChange(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir)
	in, out := []Member{{Name: "a"}, {Name: "b"}}, []Missing{{"c", "slow"}}
	if err := errors.Join(
		j.Begin(began(digest("7"), "abc")),
		j.Decide(Line{Members: in, Missing: out}),
		j.Decide(Line{Slot: 1, Members: in, Missing: out}),
		j.Decide(Line{Slot: 2, Kind: "amendment"}),
		j.Decide(Line{Slot: 3, Members: in}),
		j.Begin(began(digest("7"), "abc")),
		j.Decide(Line{Slot: 4, Members: in}),
		j.Flush(),
	); err != nil {
		t.Fatal(err)
	}
	var events []Event
	list, _ := contents(t, dir)
	for _, l := range list {
		events = append(events, l.Event)
	}
	if want := []Event{Agreement, Begun, Members, Decided, Decided, Decided, Members, Decided, Resumed, Decided}; !reflect.DeepEqual(events, want) {
		t.Errorf("got %q, want %q", events, want)
	}
	if r := list[8]; r.Slot != 4 || r.Members != nil || j.Next() != 5 {
		t.Errorf("resumed: %+v, next %d", r, j.Next())
	}
}

// logOf returns a journal of some lines.
func logOf(lines int) []byte {
	s, c := &State{}, newClock()
	var b []byte
	for i := range lines {
		line, err := s.append(Line{At: c.at, Event: Decided, Slot: uint64(i), Digest: strings.Repeat("ab", 32)})
		if err != nil {
			panic(err)
		}
		b = append(b, line...)
	}
	return b
}

func firstWrong(log []byte) int {
	var d *Damage
	if err := (&State{}).Read(bytes.NewReader(log), func(Line) {}); errors.As(err, &d) {
		return d.Line
	}
	return 0
}

// A changed, removed, doubled or moved line is found, with its place.
func TestDamageIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "lines")
		lines := bytes.SplitAfter(logOf(n), []byte("\n"))[:n]
		at := rapid.IntRange(0, n-2).Draw(t, "at")
		switch rapid.SampledFrom([]string{"change", "remove", "double", "swap", "insert", "cut"}).Draw(t, "damage") {
		case "change":
			i := rapid.IntRange(0, len(lines[at])-2).Draw(t, "byte")
			lines[at][i] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		case "remove":
			lines = append(lines[:at:at], lines[at+1:]...)
		case "double":
			lines = append(lines[:at+1:at+1], lines[at:]...)
		case "swap":
			lines[at], lines[at+1] = lines[at+1], lines[at]
		case "insert":
			lines = append(append(lines[:at:at], []byte("{}\n")), lines[at:]...)
		case "cut":
			lines[at] = lines[at][:len(lines[at])/2]
		}
		if got := firstWrong(bytes.Join(lines, nil)); got != at+1 && got != at+2 {
			t.Errorf("line %d is wrong, found %d", at+1, got)
		}
	})
	if got := firstWrong(logOf(9)); got != 0 {
		t.Errorf("line %d of a good log is wrong", got)
	}
}

// A process may be killed at any point while it writes. The next process continues the log and
// loses nothing: the incomplete line is in its own file, and a new line records this.
func TestTornLines(t *testing.T) {
	whole := logOf(4)
	for _, cut := range []int{1, 20, len(logOf(1)) - 1, len(logOf(3)) + 5, len(whole) - 1} {
		for _, killedAgain := range []bool{false, true} {
			dir, c := t.TempDir(), newClock()
			torn := whole[:cut]
			if err := os.WriteFile(filepath.Join(dir, File), torn, 0o600); err != nil {
				t.Fatal(err)
			}
			before := bytes.Count(torn, []byte("\n"))
			rest := torn[bytes.LastIndexByte(torn, '\n')+1:]
			digest := sha256.Sum256(rest)
			name := fmt.Sprintf("journal-torn-%d-%x.log", before+1, digest[:4])
			if killedAgain { // after the rest was copied, and before the line about it
				if err := os.WriteFile(filepath.Join(dir, name), rest, 0o600); err != nil {
					t.Fatal(err)
				}
			} else if _, s := contents(t, dir); !bytes.Equal(s.Torn, rest) {
				t.Errorf("cut at %d: %q is torn, want %q", cut, s.Torn, rest)
			}
			if err := open(t, dir, c).Export(Line{}); err != nil {
				t.Fatal(err)
			}
			list, s := contents(t, dir)
			kept, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(kept, rest) || len(s.Torn) > 0 || len(list) != before+2 {
				t.Fatalf("cut at %d: %v, kept %q of %q, %d lines", cut, err, kept, rest, len(list))
			}
			if r := list[before]; r.Event != Torn || r.File != name || r.Count != len(rest) {
				t.Errorf("cut at %d: %+v", cut, r)
			}
			open(t, dir, c)
			if got := onDisk(t, dir); got != before+2 {
				t.Errorf("cut at %d: opening it again has made it %d lines", cut, got)
			}
		}
	}
}

// A process overwrites a longer incomplete line and is killed before it removes the remains.
// The log can still be continued, and the whole incomplete line is in its file.
func TestALongRestThatIsCutOff(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	path := filepath.Join(dir, File)
	torn := append(logOf(2), bytes.Repeat([]byte("x"), 4096)...)
	rest := torn[len(logOf(2)):]
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, c)
	mended, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(mended, torn[len(mended):]...), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, c)
	list, s := contents(t, dir)
	if len(list) != 4 || len(s.Torn) > 0 || list[2].Event != Torn || list[3].Event != Torn || list[3].Count != len(torn)-len(mended) {
		t.Fatalf("%d bytes are torn, lines %+v", len(s.Torn), list)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, list[2].File)); err != nil || !bytes.Equal(kept, rest) {
		t.Errorf("%v, kept %d bytes of %d", err, len(kept), len(rest))
	}
}

// A new log, after the old one was moved away, does not touch the old one's incomplete lines.
// Its own incomplete line of the same number gets its own file.
func TestANewLogHasItsOwnTornLines(t *testing.T) {
	for _, before := range []int{0, 2} { // whole lines
		dir, c := t.TempDir(), newClock()
		path := filepath.Join(dir, File)
		for n, rest := range []string{`{"version":1`, "", `{"ver`} {
			if err := os.WriteFile(path, append(logOf(before), rest...), 0o600); err != nil {
				t.Fatal(err)
			}
			open(t, dir, c)
			list, _ := contents(t, dir)
			if rest == "" {
				if len(list) != before {
					t.Errorf("log %d: %d lines, want %d: %+v", n, len(list), before, list[before:])
				}
			} else if kept, err := os.ReadFile(filepath.Join(dir, list[before].File)); err != nil || string(kept) != rest {
				t.Errorf("log %d: %v, kept %q, want %q", n, err, kept, rest)
			}
			if err := os.Rename(path, filepath.Join(dir, fmt.Sprintf("old-%d.log", n))); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := filepath.Glob(filepath.Join(dir, "journal-torn-*.log")); err != nil || len(kept) != 2 {
			t.Errorf("%v: two lines were cut off, kept %q", err, kept)
		}
	}
}

// A damaged log is neither continued nor changed.
func TestADamagedLogStays(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	path := filepath.Join(dir, File)
	damaged := bytes.Replace(logOf(3), []byte(`"slot":1`), []byte(`"slot":9`), 1)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, c.now)
	var d *DamageError
	if !errors.As(err, &d) || !strings.Contains(err.Error(), "journal.log: line 3: want the digest") || !strings.Contains(err.Error(), "restore the file") {
		t.Errorf("got %v", err)
	}
	if _, err := Check(dir, func(Line) {}); !errors.As(err, &d) {
		t.Errorf("got %v", err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
		t.Error("it was changed")
	}
	if err := os.WriteFile(path, logOf(3), 0o600); err != nil {
		t.Fatal(err)
	}
	j := open(t, dir, c)
	if err := os.WriteFile(path, logOf(2), 0o600); err != nil { // while another process holds it
		t.Fatal(err)
	}
	if err := j.Export(Line{}); !errors.As(err, &d) {
		t.Errorf("a journal that became shorter: %v", err)
	}
}

// A line with a valid digest is damage if its fields are not as this program writes them.
func TestFieldsThatAreDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	begin := began(digest("1"), "ab")
	begun := Line{At: day, Event: Begun, Run: begin.Run, Model: "ggm", Members: begin.Members, Rows: begin.Rows, Key: begin.Key, Entries: begin.Entries}
	gift := released(1, 0.5)
	gift.At, gift.Event = day, Release
	for name, c := range map[string]struct {
		line    Line
		old, to string
	}{
		"another version":   {begun, `"version":1`, `"version":2`},
		"an unknown event":  {begun, `"begun"`, `"began"`},
		"an unknown field":  {begun, `"rows"`, `"raws"`},
		"more behind it":    {begun, "}\n", "}{}\n"},
		"no time":           {begun, "2026-03-04T05:06:07Z", "0001-01-01T00:00:00Z"},
		"a short digest":    {begun, digest("2"), "22"},
		"a digest in FF":    {begun, digest("2"), digest("F")},
		"a short identity":  {gift, fmt.Sprintf("%064x", 1), "1"},
		"no peer ID":        {begun, `"B"`, `""`},
		"a nameless member": {begun, `"b"`, `""`},
		"no members":        {begun, `"members":[{"name":"a","id":"A"},{"name":"b","id":"B"}]`, `"members":[]`},
		"an unknown kind":   {gift, `"kind":"release"`, `"kind":"gift"`},
		"a loss below 0":    {gift, `"zcdp":0.5`, `"zcdp":-0.5`},
		"a delta of 1":      {gift, `"delta":0.00001`, `"delta":1`},
	} {
		good, err := (&State{}).append(c.line)
		if err != nil {
			t.Fatal(err)
		}
		bad := strings.Replace(string(good), c.old, c.to, 1)
		if bad == string(good) {
			t.Fatalf("%s: the text is the same", name)
		}
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		var damage *DamageError
		if _, err := Open(filepath.Dir(path), newClock().now); !errors.As(err, &damage) || !strings.Contains(err.Error(), "journal.log: line 1: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// Nor is such a line written.
	j := opened(t, t.TempDir())
	begin.Members[1].Name = ""
	if err := j.Begin(begin); err == nil || len(j.view.runs) > 0 {
		t.Errorf("got %v", err)
	}
	gift.Entries[0].Rows = math.Inf(1)
	if err := j.Release(gift, nil); err == nil || len(j.view.records) > 0 {
		t.Errorf("got %v", err)
	}
}

// A folder of an earlier release is refused by the name of its file.
func TestFoldersOfBefore(t *testing.T) {
	for _, name := range []string{"ledger.json", "audit.log", "runs.json"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, opened := Open(dir, newClock().now)
		_, listed := Ledger(dir)
		_, checked := Check(dir, func(Line) {})
		for _, err := range []error{opened, listed, checked} {
			var older *OlderError
			if !errors.As(err, &older) || older.File != name || !strings.Contains(err.Error(), "new folder") {
				t.Errorf("got %v", err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, File)); err == nil {
			t.Error("a journal was begun")
		}
		if err := os.WriteFile(filepath.Join(dir, File), logOf(1), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, dir, newClock())
	}
}

// A journal has each head that it had before, but not that of another journal, or one that it has lost.
func TestHeads(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	j := opened(t, dir)
	heads := [][]byte{j.Head()}
	texts := [][]byte{nil}
	for range 3 {
		if err := j.Export(Line{}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		heads, texts = append(heads, j.Head()), append(texts, text)
	}
	for had, text := range texts {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for of, head := range heads {
			if err := CheckHead(dir, head); (err != nil) != (of > had) {
				t.Errorf("%d lines, head of %d: %v", had, of, err)
			}
		}
	}
	if err := os.WriteFile(path, logOf(3), 0o600); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	for of, head := range append(heads, nil) {
		if err := CheckHead(dir, head); errors.As(err, &damage) != (of > 0) {
			t.Errorf("another journal, head of %d: %v", of, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := CheckHead(dir, heads[0]); err != nil {
		t.Error(err)
	}
	if err := CheckHead(dir, heads[1]); !errors.As(err, &damage) {
		t.Errorf("no journal: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(logOf(3))
	run, err := (&State{}).append(Line{At: day, Event: Begun, Run: digest("1"), Members: members("ab"), Rows: digest("2"), Key: digest("3"), Entries: released(1, 0.5).Entries})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(run)
	f.Add(logOf(2)[:300])
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &State{}
		n := 0
		err := s.Read(bytes.NewReader(b), func(l Line) {
			n++
			again, err := l.encode()
			if err != nil {
				t.Fatal(err)
			}
			if same, err := decode(again); err != nil || !reflect.DeepEqual(same, l) {
				t.Errorf("got %+v, %v, want %+v", same, err, l)
			}
		})
		if n != s.Lines || s.Size > int64(len(b)) || err == nil && s.Size+int64(len(s.Torn)) != int64(len(b)) {
			t.Errorf("%d lines: %+v, %v", n, s, err)
		}
		if err == nil { // the state can be continued
			size := s.Size
			line, err := s.append(Line{At: day, Event: Export})
			if err != nil {
				t.Fatal(err)
			}
			if err := (&State{}).Read(bytes.NewReader(append(b[:size:size], line...)), func(Line) {}); err != nil {
				t.Error(err)
			}
		}
		var d *Damage
		if err != nil && !errors.As(err, &d) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %T", err)
		}
	})
}
