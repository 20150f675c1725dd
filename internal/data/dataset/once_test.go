package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Standard input gives the same rows as a file with the same bytes, in memory or not, in whatever
// pieces they arrive.
func TestStandardInputIsAsAFile(t *testing.T) {
	csv, sites := many(900)
	ndjson := objects(t, sites)
	folder(t, "a.csv", csv, "a.ndjson", ndjson)
	wants := map[string]*mat.Dense{}
	for _, file := range []string{"a.csv", "a.ndjson"} {
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
		if err != nil {
			t.Fatal(err)
		}
		if wants[file], err = rows.Dense(d.Participants[0].Train); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ file, content string }{
		{"a.csv", csv},
		{"a.csv", zipped(t, csv)},
		{"a.ndjson", ndjson},
		{"a.ndjson", "\ufeff" + strings.Repeat("\n", 1000) + ndjson},
	} {
		for name, slow := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "in bytes": iotest.OneByteReader} {
			for _, memory := range []int64{0, 1, 1 << 30} {
				spec := dataset.Spec{Data: []string{"-"}, Memory: memory, Folder: "kept"}
				if err := spec.Forward(t.Context(), slow(strings.NewReader(c.content)), never); err != nil {
					t.Fatal(err)
				}
				d, err := dataset.LoadOne(spec)
				if err != nil {
					t.Fatal(err)
				}
				if dataset.Streams(d.Participants[0].Train) != (memory == 1) {
					t.Errorf("%s, %s, memory %d: got %T", c.file, name, memory, d.Participants[0].Train)
				}
				x, err := rows.Dense(d.Participants[0].Train)
				if err != nil || !mat.Equal(x, wants[c.file]) {
					t.Errorf("%s, %s, memory %d: other rows, %v", c.file, name, memory, err)
				}
			}
			spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"flow", "temp", "label"}}
			if err := spec.Forward(t.Context(), slow(strings.NewReader(c.content)), never); err != nil {
				t.Fatal(err)
			}
			n := 0
			_, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
				x := b.X
				numbers := b.Numbers

				for i, number := range numbers {
					for j, k := range []int{1, 0, 2} {
						if n++; x.At(i, j) != wants[c.file].At(number-1, k) {
							t.Fatalf("%s, %s: other rows", c.file, name)
						}
					}
				}
				return nil
			})
			if err != nil || n != 2700 {
				t.Errorf("%s, %s: %d cells, %v", c.file, name, n, err)
			}
		}
	}
}

// A scan of a source that is read once does not hold its rows in memory.
func TestScansHoldNothing(t *testing.T) {
	testkit.SkipRaced(t) // the goroutines are those of TestStandardInputIsAsAFile, with more rows
	const lines = 1 << 20
	folder(t)
	r, w := io.Pipe()
	go func() {
		_, err := w.Write([]byte("x,y\n"))
		for range lines / 1024 {
			if err == nil {
				_, err = w.Write(bytes.Repeat([]byte("1.0000000000,2.0000000000\n"), 1024))
			}
		}
		w.CloseWithError(err)
	}()
	spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"x", "y"}}
	if err := spec.Forward(t.Context(), r, never); err != nil {
		t.Fatal(err)
	}
	total, before := 0, inUse()
	_, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		numbers := b.Numbers

		if total += len(numbers); total == lines {
			if grown := int64(inUse()) - int64(before); grown > 4<<20 {
				t.Errorf("%d bytes are held of %d", grown, lines*26)
			}
		}
		return nil
	})
	if err != nil || total != lines {
		t.Errorf("got %d rows, %v, want %d", total, err, lines)
	}
}

// A profile does not hold rows in memory either, even if a column is empty throughout.
func TestProfilesHoldNothing(t *testing.T) {
	testkit.SkipRaced(t) // the goroutines are those of TestStandardInputIsAsAFile, with more rows
	folder(t)
	for name, parts := range map[string][2]string{"CSV": {"x,none\n", "1.0000000000000000,\n"}, "JSON": {"", `{"x":1.0,"none":null}` + "\n"}} {
		const pieces, lines = 96, 4096
		piece := strings.Repeat(parts[1], lines)
		input := []io.Reader{strings.NewReader(parts[0])}
		for range pieces {
			input = append(input, strings.NewReader(piece))
		}
		before := inUse()
		held := readerFunc(func([]byte) (int, error) {
			grown := int64(math.MaxInt64)
			for range 3 { // the reader still frees what it has read
				grown = min(grown, int64(inUse())-int64(before))
			}
			if grown > 4<<20 {
				t.Errorf("%s: %d bytes are held of %d", name, grown, pieces*len(piece))
			}
			return 0, io.EOF
		})
		spec := dataset.Spec{Data: []string{"-"}}
		if err := spec.Forward(t.Context(), io.MultiReader(append(input, held)...), never); err != nil {
			t.Fatal(err)
		}
		p, err := spec.Profile("standard input")
		if err != nil || p.Rows != pieces*lines || p.Columns[1].Type != "empty" || p.Columns[1].Missing != 1 {
			t.Errorf("%s: got %+v, %v", name, p, err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// inUse returns the number of bytes in use on the heap.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Windows by time work on standard input: the first rows, which give the median step, are read
// again.
func TestWindowsOfStandardInput(t *testing.T) {
	folder(t)
	var b strings.Builder
	b.WriteString("time,x\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "%d,%d\n", i+100*(i/15000), i%7)
	}
	spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"x"}, Window: 5, Time: "time"}
	if err := spec.Forward(t.Context(), strings.NewReader(b.String()), never); err != nil {
		t.Fatal(err)
	}
	n := 0
	if _, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		numbers := b.Numbers
		n += len(numbers)
		return nil
	}); err != nil || n != 20000 {
		t.Errorf("got %d rows, %v", n, err)
	}
}

// An interrupt ends the wait for input.
func TestInterruptEndsTheWaitForInput(t *testing.T) {
	folder(t)
	for _, begin := range []string{"", "x,y\n1,2\n" + strings.Repeat("3,4\n", 100)} {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = io.WriteString(w, begin)
			cancel()
		}()
		spec := dataset.Spec{Data: []string{"-"}}
		if err := spec.Forward(ctx, r, never); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.LoadOne(spec); !errors.Is(err, context.Canceled) {
			t.Errorf("after %q: got %v", begin, err)
		}
	}
}

// A scan that is interrupted leaves the series of the rows that it has passed on.
func TestInterruptedScanKeepsTheSeries(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "x,y\n1,0\n2,0\n3,0\n4,0\n") }()
	ctx, cancel := context.WithCancel(t.Context())
	spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"x"}, Window: 3, Series: &dataset.Series{}}
	if err := spec.Forward(ctx, r, atOnce); err != nil {
		t.Fatal(err)
	}
	var passed []float64
	_, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		for i := range b.Numbers {
			passed = append(passed, b.X.At(i, 0))
		}
		if len(passed) == 4 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var recent []float64
	for _, cells := range spec.Series.Recent {
		recent = append(recent, *cells[0])
	}
	if want := passed[len(passed)-2:]; !slices.Equal(recent, want) {
		t.Errorf("the series ends in %v, want %v", recent, want)
	}
}

// The address of a database is refused, and the error does not repeat its password.
func TestAddressesOfDatabases(t *testing.T) {
	for _, address := range []string{"postgres://me:hush@host/db", "postgresql://me@host/db?password=hush", "host=h user=me password=hush"} {
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{address}})
		if err == nil || !strings.HasPrefix(err.Error(), "want a file, got the address of a database: other users of this machine can see it, and a password in it, in the list of processes; ") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
}
