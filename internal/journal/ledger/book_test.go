package ledger

import (
	"encoding/json"
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

func released(id int, loss float64) Record {
	return Record{
		ID: fmt.Sprintf("%064x", id), At: day, Model: "ggm", Release: fmt.Sprintf("r%d.json", id), Ended: true,
		Entries: []report.Entry{{Kind: report.ReleaseEntry, What: "means", SeenBy: "everyone who gets the file", Times: 1, Spend: &report.Spend{ZCDP: loss, Epsilon: privacy.ZCDP(loss).Epsilon(1e-5), Delta: 1e-5}}},
	}
}

func opened(t *testing.T, dir string) *Book {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Records are read back. A run has one record from its start to its end, with its first time.
func TestRecordsAreReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	b := opened(t, dir)
	if got := b.Records(); len(got) != 0 {
		t.Errorf("a new folder: %+v", got)
	}
	run := Record{ID: fmt.Sprintf("%064x", 77), At: day, Model: "ggm", Members: []string{"a", "b"}, Entries: []report.Entry{{Kind: report.PublishedEntry, What: "x", SeenBy: "all", Rounds: &[2]int{0, 0}, Times: 2}}}
	if err := b.Enter(run); err != nil {
		t.Fatal(err)
	}
	if err := b.Release(released(1, 0.5), nil); err != nil {
		t.Fatal(err)
	}
	ended := run
	ended.At, ended.Ended, ended.Hidden = day.Add(time.Hour), true, "chunks"
	if err := opened(t, dir).Enter(ended); err != nil {
		t.Fatal(err)
	}
	ended.At = day
	if got, want := opened(t, dir).Records(), []Record{ended, released(1, 0.5)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if info, err := os.Stat(filepath.Join(dir, File)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// An open book sees the records of other processes when it changes the file.
	if err := b.Release(released(2, 0.25), nil); err != nil {
		t.Fatal(err)
	}
	if loss, n := Spent(b.Records(), report.ReleaseEntry); loss != 0.75 || n != 2 || !b.Records()[0].Ended {
		t.Errorf("%g in %d releases", loss, n)
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
	b := opened(t, dir)
	err := b.Release(released(9, whole/4), limit)
	var beyond *CapError
	if !errors.As(err, &beyond) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"at most 6", "delta of 1e-05", "is spent by r1.json of 2026-03-04 (", "r3.json of 2026-03-04 (2.683) and 1 before them", "would make it 6.8", "is left"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("want %q in: %v", part, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, File)); string(after) != string(before) || len(b.Records()) != 4 {
		t.Error("a release that is refused has changed the ledger")
	}
	spent, _ := Spent(b.Records(), report.ReleaseEntry)
	if err := b.Release(released(10, float64(limit.Left(spent))*(1-1e-9)), limit); err != nil {
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
			b, err := Open(dir)
			var beyond *CapError
			if err == nil {
				err = b.Release(released(i, each), limit)
			}
			if err != nil && !errors.As(err, &beyond) {
				t.Error(err)
			}
		})
	}
	at.Wait()
	if got := len(opened(t, dir).Records()); got != 5 {
		t.Errorf("%d releases, want 5", got)
	}
}

func TestFilesThatAreDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := opened(t, dir).Release(released(1, 0.5), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	for name, bad := range map[string]string{
		"empty":            "",
		"cut off":          good[:len(good)/2],
		"more behind it":   good + "{}",
		"another version":  strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"an unknown field": strings.Replace(good, `"what"`, `"wat"`, 1),
		"an unknown kind":  strings.Replace(good, `"kind": "release"`, `"kind": "gift"`, 1),
		"a short identity": strings.Replace(good, fmt.Sprintf("%064x", 1), "1", 1),
		"no time":          strings.Replace(good, "2026-03-04T05:06:07Z", "0001-01-01T00:00:00Z", 1),
		"a loss below 0":   strings.Replace(good, `"zcdp": 0.5`, `"zcdp": -0.5`, 1),
		"a delta of 1":     strings.Replace(good, `"delta": 0.00001`, `"delta": 1`, 1),
	} {
		if bad == good {
			t.Fatalf("%s: the text is the same", name)
		}
		if err := os.WriteFile(filepath.Join(dir, File), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		var damage *DamageError
		if _, err := Open(dir); !errors.As(err, &damage) || !strings.Contains(err.Error(), File) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Any file is either an error or is written as it was read.
func FuzzFile(f *testing.F) {
	good, err := json.Marshal(contents{version, []Record{released(1, 0.5)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := decode(b)
		if err != nil {
			return
		}
		again, err := json.Marshal(contents{version, records})
		if err != nil {
			t.Fatal(err)
		}
		if same, err := decode(again); err != nil || !reflect.DeepEqual(same, records) {
			t.Errorf("got %v, %v, want %v", same, err, records)
		}
	})
}
