package journal

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func released(id int, loss float64) Line {
	return Line{
		Digest: fmt.Sprintf("%064x", id), Model: "ggm", File: fmt.Sprintf("r%d.json", id),
		Entries: []report.Entry{{Kind: report.ReleaseEntry, What: "means", SeenBy: "everyone who gets the file", Times: 1, Spend: &report.Spend{ZCDP: loss, Epsilon: privacy.ZCDP(loss).Epsilon(1e-5), Delta: 1e-5}}},
	}
}

func recordOf(l Line) Record {
	return Record{ID: l.Digest, At: day, Model: l.Model, Release: l.File, Ended: true, Entries: l.Entries}
}

func opened(t *testing.T, dir string) *Journal {
	t.Helper()
	return open(t, dir, &clock{day})
}

func recordsIn(t *testing.T, dir string) []Record {
	t.Helper()
	records, err := Ledger(dir)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func began(run string, letters string) Start {
	return Start{
		Run: run, Model: "ggm", Agreement: digest("a"), Members: members(letters), Hidden: "chunks", Rows: digest("2"), Key: digest("3"),
		Entries: []report.Entry{{Kind: report.PublishedEntry, What: "x", SeenBy: "all", Rounds: &[2]int{0, 0}, Times: 2}},
	}
}

// The ledger has a record of each run from its start to its end, with its first time, and of each
// release. A run that is resumed has not ended, and has members that joined.
func TestTheLedgerFollowsFromTheLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if got := recordsIn(t, dir); len(got) != 0 {
		t.Errorf("a new folder: %+v", got)
	}
	j := opened(t, dir)
	run := began(digest("7"), "ab")
	if err := errors.Join(j.Begin(run), j.Release(released(1, 0.5), nil)); err != nil {
		t.Fatal(err)
	}
	want := []Record{{ID: digest("7"), At: day, Model: "ggm", Members: []string{"a", "b"}, Hidden: "chunks", Entries: run.Entries}, recordOf(released(1, 0.5))}
	check := func(what string) {
		t.Helper()
		if got := recordsIn(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	check("begun")
	later := &clock{day.Add(time.Hour)}
	seen := []report.Entry{{Kind: report.TotalEntry, What: "y", SeenBy: "all", Times: 9}}
	end := Line{Run: digest("7"), Why: "stopped", Members: members("abc"), Entries: seen}
	if err := open(t, dir, later).End(end); err != nil {
		t.Fatal(err)
	}
	want[0].Members, want[0].Entries = []string{"a", "b", "c"}, seen
	check("stopped")
	run.Members = members("abcd")
	if err := open(t, dir, later).Begin(run); err != nil {
		t.Fatal(err)
	}
	want[0].Members, want[0].Entries = []string{"a", "b", "c", "d"}, run.Entries
	check("resumed")
	end.Members, end.Why = run.Members, AsPlanned
	if err := open(t, dir, later).End(end); err != nil {
		t.Fatal(err)
	}
	want[0].Ended, want[0].Entries = true, seen
	check("ended")
	// An open journal has the records of other processes.
	if got, err := j.Records(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
	if err := j.Release(released(2, 0.25), nil); err != nil {
		t.Fatal(err)
	}
	if loss, n := Spent(recordsIn(t, dir), report.ReleaseEntry); loss != 0.75 || n != 2 {
		t.Errorf("%g in %d releases", loss, n)
	}
}

// A member that was removed, and its successor, may have one name. The journal can be read again.
func TestAMemberThatIsReplacedUnderItsName(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir)
	replaced := append(members("ab"), Member{Name: "b", ID: "B2"})
	if err := errors.Join(j.Begin(began(digest("7"), "ab")), j.End(Line{Run: digest("7"), Members: replaced})); err != nil {
		t.Fatal(err)
	}
	if got := opened(t, dir).view.runs; !reflect.DeepEqual(got[0].members, replaced) {
		t.Errorf("got %+v", got)
	}
}

// All releases share the cap. A release beyond it changes nothing, and its error lists the loss
// so far, the releases that caused it, and the rest.
func TestReleasesShareTheCap(t *testing.T) {
	dir := t.TempDir()
	limit := &report.Cap{Epsilon: 6, Delta: 1e-5}
	whole := float64(limit.Loss())
	if got := limit.Loss().Epsilon(1e-5); math.Abs(got-6) > 1e-9 {
		t.Errorf("the cap is an epsilon of %g", got)
	}
	for i := range 4 {
		if err := opened(t, dir).Release(released(i, whole/4*0.99), limit); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(filepath.Join(dir, File))
	j := opened(t, dir)
	err := j.Release(released(9, whole/4), limit)
	var beyond *CapError
	if !errors.As(err, &beyond) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"at most 6", "delta of 1e-05", "is spent by r1.json of 2026-03-04 (", "r3.json of 2026-03-04 (2.683) and 1 before them", "would make it 6.8", "is left"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("want %q in: %v", part, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, File)); string(after) != string(before) || len(recordsIn(t, dir)) != 4 {
		t.Error("a release that is refused has changed the ledger")
	}
	spent, _ := Spent(recordsIn(t, dir), report.ReleaseEntry)
	if err := j.Release(released(10, float64(limit.Left(spent))*(1-1e-9)), limit); err != nil {
		t.Errorf("a release within the rest is refused: %v", err)
	}
	if got := limit.Left(2 * limit.Loss()); got != 0 {
		t.Errorf("%g is left after twice the cap", got)
	}
}

// Concurrent releases, even of several processes, cannot exceed the cap.
func TestReleasesAtOnce(t *testing.T) {
	dir, limit := t.TempDir(), &report.Cap{Epsilon: 6, Delta: 1e-5}
	each := float64(limit.Loss()) / 5 * (1 - 1e-9)
	var at sync.WaitGroup
	for i := range 12 {
		at.Go(func() {
			j, err := Open(dir, newClock().now)
			var beyond *CapError
			if err == nil {
				err = j.Release(released(i, each), limit)
			}
			if err != nil && !errors.As(err, &beyond) {
				t.Error(err)
			}
		})
	}
	at.Wait()
	if got := len(recordsIn(t, dir)); got != 5 {
		t.Errorf("%d releases, want 5", got)
	}
}
