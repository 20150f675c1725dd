package dataset_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// A row of a stream is passed on before the next one arrives, whatever the form of the stream.
func TestRowsOfAStreamArriveAtOnce(t *testing.T) {
	plain := func(w io.Writer, text string) error {
		_, err := io.WriteString(w, text)
		return err
	}
	var z *gzip.Writer
	zipped := func(w io.Writer, text string) error {
		if z == nil {
			z = gzip.NewWriter(w)
		}
		_, err := io.WriteString(z, text)
		if err == nil {
			err = z.Flush()
		}
		return err
	}
	csv := func(i int) string { return fmt.Sprintf("%d,2,note\n", i) }
	object := func(i int) string { return fmt.Sprintf(`{"x":%d,"y":2,"of":"note"}`+"\n", i) }
	for name, c := range map[string]struct {
		head  string
		line  func(int) string
		write func(io.Writer, string) error
	}{
		"CSV": {"x,y,of\n", csv, plain}, "zipped CSV": {"x,y,of\n", csv, zipped},
		"semicolons": {"x;y;of\n", func(i int) string { return fmt.Sprintf("%d,5;2;note\n", i) }, plain},
		"JSON":       {"", object, plain},
	} {
		z = nil
		r, w := io.Pipe()
		arrived := make(chan int)
		go func() {
			err := c.write(w, c.head)
			for i := range 5 {
				if err == nil {
					err = c.write(w, c.line(i))
				}
				if got := <-arrived; got != i+1 {
					t.Errorf("%s: got row %d, want %d", name, got, i+1)
				}
			}
			w.CloseWithError(err)
		}()
		spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"y", "x"}, Missing: dataset.KeepMissing, Scored: true}
		if err := spec.Forward(t.Context(), r, atOnce); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Scan(spec, func(carried []string) error {
			if !slices.Equal(carried, []string{"of"}) {
				t.Errorf("%s: carried %v", name, carried)
			}
			return nil
		}, func(b dataset.Block) error {
			for i, n := range b.Numbers {
				if math.Floor(b.X.At(i, 1)) != float64(n-1) || b.Carried[i][0] != "note" {
					t.Errorf("%s: row %d is %v, %v", name, n, mat.Formatted(b.X), b.Carried)
				}
				arrived <- n
			}
			return nil
		})
		if err != nil && !(c.write != nil && strings.Contains(err.Error(), "too early")) { // gzip is not closed
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An error of the receiver ends a scan: while the stream is silent, and while its rows are useless.
func TestAReceiverEndsAStream(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, "kind,x\nnew,1\nnew,2\n") }()
	useless := readerFunc(func(p []byte) (int, error) { return copy(p, "old,3\n"), nil })
	for name, input := range map[string]io.Reader{
		"silent":  r,
		"useless": io.MultiReader(strings.NewReader("kind,x\nnew,1\n"+strings.Repeat("new,2\n", rows.PerBlock)), useless),
	} {
		spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"x"}, Where: dataset.Condition{Column: "kind", Value: "new"}}
		if err := spec.Forward(t.Context(), input, atOnce); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.Scan(spec, uncarried, func(dataset.Block) error { return io.ErrShortWrite }); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Rows to be scored may be none. Training and measuring need some.
func TestAHeaderAlone(t *testing.T) {
	folder(t, "a.csv", "x,y,of\n")
	for _, source := range []string{"a.csv", "-"} {
		spec := dataset.Spec{Data: []string{source}, Columns: []string{"x"}, Missing: dataset.KeepMissing, Scored: true}
		if err := spec.Forward(t.Context(), strings.NewReader("x,y,of\n"), atOnce); err != nil {
			t.Fatal(err)
		}
		begun := 0
		_, err := dataset.Scan(spec, func(carried []string) error {
			if begun++; !slices.Equal(carried, []string{"y", "of"}) {
				t.Errorf("carried %v", carried)
			}
			return nil
		}, func(dataset.Block) error { t.Error("a block without rows"); return nil })
		if err != nil || begun != 1 {
			t.Errorf("%s: %v, begun %d times", source, err, begun)
		}
	}
	if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x"}, Missing: dataset.KeepMissing, Scored: true}); err == nil {
		t.Error("a file without rows is loaded")
	}
}

// Cells of other columns are carried, from all files, with the names of several files.
func TestCarriedCells(t *testing.T) {
	folder(t, "a.csv", "at,x,who\n08:00, 1 ,b\n", "b.csv", "x,who,more\n2,,z\n",
		"c.parquet", parquetFile(t, []struct {
			X   float64 `parquet:"x"`
			Who string  `parquet:"who"`
		}{{3, "d"}}))
	scan := func(spec dataset.Spec) (names []string, cells [][]string) {
		spec.Columns = []string{"x"}
		_, err := dataset.Scan(spec, func(carried []string) error {
			names = carried
			return nil
		}, func(b dataset.Block) error {
			cells = append(cells, b.Carried...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return names, cells
	}
	names, cells := scan(dataset.Spec{Data: []string{"a.csv", "b.csv", "c.parquet"}})
	want := [][]string{{"file", "at", "who"}, {"a.csv", "08:00", "b"}, {"b.csv", "", ""}, {"c.parquet", "", "d"}}
	if got := append([][]string{names}, cells...); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if names, cells = scan(dataset.Spec{Data: []string{"b.csv"}, Carry: []string{"more", "x"}}); fmt.Sprint(names, cells) != "[more x] [[z 2]]" {
		t.Errorf("got %v %v", names, cells)
	}
	if names, cells = scan(dataset.Spec{Data: []string{"b.csv"}, Carry: []string{}}); len(names) != 0 || len(cells[0]) != 0 {
		t.Errorf("got %v %v", names, cells)
	}
}

// A series in pieces has the windows of one long file.
func TestASeriesInPieces(t *testing.T) {
	lines, at := []string(nil), 0
	for i := range 400 {
		if at += 10; i%90 == 89 {
			at += 1000
		}
		cell := fmt.Sprint(i * i % 97)
		if i%31 == 0 {
			cell = ""
		}
		lines = append(lines, fmt.Sprintf("%d,%s,%d", at, cell, i%7))
	}
	const head = "at,x,y\n"
	folder(t, "all.csv", head+strings.Join(lines, "\n")+"\n")
	spec := dataset.Spec{Columns: []string{"x", "y"}, Time: "at", Window: 20, Missing: dataset.KeepMissing, Scored: true}
	scan := func(spec dataset.Spec) (values []float64) {
		_, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
			values = append(values, b.X.RawMatrix().Data...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	whole := spec
	whole.Data = []string{"all.csv"}
	want := scan(whole)
	var got []float64
	state := []byte("{}")
	for piece := range slices.Chunk(lines, 60) {
		folder(t, "piece.csv", head+strings.Join(piece, "\n")+"\n")
		var series dataset.Series
		if err := json.Unmarshal(state, &series); err != nil {
			t.Fatal(err)
		}
		next := spec
		next.Data, next.Series = []string{"piece.csv"}, &series
		got = append(got, scan(next)...)
		var err error
		if state, err = json.Marshal(series); err != nil {
			t.Fatal(err)
		}
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%d values differ from %d", len(got), len(want))
	}
	if n := 19; !math.IsNaN(want[(n-1)*6+2]) || math.IsNaN(want[n*6+3]) {
		t.Errorf("the first window is not complete with row %d", n+1)
	}
}

// Numbers too large to be used are no missing cells in rows to be scored.
func TestExtremesAreScored(t *testing.T) {
	folder(t, "a.csv", "x,y\n1e100,1\n-inf,2\n1e999,3\nNaN,4\nbad,5\n2,6\n", "a.ndjson", `{"x":1e100,"y":1}`+"\n"+`{"x":-Infinity,"y":2}`+"\n"+`{"x":1e999,"y":3}`+"\n"+`{"x":NaN,"y":4}`+"\n"+`{"x":"NaN \" Infinity","y":5}`+"\n"+`{"x":2,"y":6}`+"\n",
		"a.parquet", parquetFile(t, []struct {
			X float64 `parquet:"x"`
			Y float64 `parquet:"y"`
		}{{1e100, 1}, {math.Inf(-1), 2}, {math.Inf(1), 3}, {math.NaN(), 4}, {math.NaN(), 5}, {2, 6}}))
	nan := math.NaN()
	want := []float64{1e60, -1e60, 1e60, nan, nan, 2}
	for _, file := range []string{"a.csv", "a.ndjson", "a.parquet"} {
		var got []float64
		spec := dataset.Spec{Data: []string{file}, Columns: []string{"x", "y"}, Missing: dataset.KeepMissing, Scored: true}
		if _, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
			got = append(got, mat.Col(nil, 0, b.X)...)
			return nil
		}); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
		spec.Scored = false
		if _, err := dataset.LoadOne(spec); err == nil {
			t.Errorf("%s: an infinity is trained on", file)
		}
	}
}

// Clocks that are set back do not end a window; times that go back do.
func TestSummerTimeEnds(t *testing.T) {
	folder(t, "a.csv", "at,x\n26.10.2025 02:58:00,1\n26.10.2025 02:59:00,2\n26.10.2025 02:00:00,3\n26.10.2025 02:01:00,4\n",
		"zoned.csv", "at,x\n2025-10-26T02:59:00Z,2\n2025-10-26T02:00:00Z,3\n")
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Time: "at", Window: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := means(t, d.Participants[0], false); !slices.Equal(got, []float64{1, 1.5, 2.5, 3.5}) {
		t.Errorf("got %v", got)
	}
	if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"zoned.csv"}, Time: "at", Window: 2}); err == nil {
		t.Error("times go back")
	}
}

// Keys that none of the first objects has are left out, and named.
func TestLateKeys(t *testing.T) {
	var b bytes.Buffer
	for i := range 150 {
		fmt.Fprintf(&b, `{"x":%d`, i)
		if i > 130 {
			fmt.Fprint(&b, `,"late":1`)
		}
		fmt.Fprintln(&b, "}")
	}
	folder(t, "a.ndjson", b.String())
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.ndjson"}})
	if err != nil || !slices.Equal(d.Columns, []string{"x"}) {
		t.Fatalf("columns %v, %v", d.Columns, err)
	}
	if len(d.Gaps.Aside) != 1 || !strings.HasPrefix(d.Gaps.Aside[0], "a.ndjson:132: ") {
		t.Errorf("got %q", d.Gaps.Aside)
	}
}

// Most cells decide whether a column is a sensor: a word in the first row does not leave it out.
func TestMostCellsDecideTypes(t *testing.T) {
	for _, word := range []string{"Bad", "NA", "#DIV/0!", "-1.#IND"} {
		csv := "x,y,of\n1," + word + ",7\n2,3,pump\n4,5,pump\n"
		folder(t, "a.csv", csv, "a.ndjson", `{"x":1,"y":"`+word+`","of":"7"}`+"\n"+`{"x":2,"y":3,"of":"pump"}`+"\n"+`{"x":4,"y":5,"of":"pump"}`+"\n")
		for _, file := range []string{"a.csv", "a.ndjson"} {
			columns, ignored, err := dataset.Features(dataset.Spec{Data: []string{file}})
			if err != nil || !slices.Equal(columns, []string{"x", "y"}) || !slices.Equal(ignored, []string{"of"}) {
				t.Errorf("%s, %s: features %v, others %v, %v", file, word, columns, ignored, err)
			}
			var fault *dataset.Error
			if _, err = dataset.LoadOne(dataset.Spec{Data: []string{file}}); !errors.As(err, &fault) || fault.Column != "y" {
				t.Errorf("%s, %s: got %v", file, word, err)
			}
		}
	}
}

// Text has the same rows in other encodings and under other endings, in files and in streams.
func TestEncodingsAndEndings(t *testing.T) {
	const text = "größe;at;x\nhöhe;8:00;1,5\nhöhe;9:00;2,5\nbreit;9:30;3,5\n"
	utf16 := func(order []int, mark bool) string {
		var b []byte
		put := func(c rune) {
			b = append(b, []byte{byte(c), byte(c >> 8)}[order[0]], []byte{byte(c), byte(c >> 8)}[order[1]])
		}
		if mark {
			put('\ufeff')
		}
		for _, c := range text {
			put(c)
		}
		return string(b)
	}
	var windows []byte
	for _, c := range text {
		windows = append(windows, byte(c))
	}
	for name, content := range map[string]string{
		"a.csv": text, "windows.csv": string(windows), "little.csv": utf16([]int{0, 1}, true), "big.csv": utf16([]int{1, 0}, true), "unmarked.csv": utf16([]int{0, 1}, false),
		"a.tsv": strings.ReplaceAll(text, ";", "\t"), "a.txt": text, "A.DAT": text, "a.data": text, "a.log": text, "zipped.csv": zipped(t, string(windows)), "a.txt.gz": zipped(t, text),
	} {
		folder(t, name, content)
		for _, memory := range []int64{0, 1} {
			for _, source := range []string{name, "-"} {
				spec := dataset.Spec{Data: []string{source}, Label: "größe", Memory: memory, Folder: "."}
				if err := spec.Forward(t.Context(), strings.NewReader(content), never); err != nil {
					t.Fatal(err)
				}
				d, err := dataset.LoadOne(spec)
				if err != nil {
					t.Errorf("%s as %s: %v", name, source, err)
					continue
				}
				x, err := rows.Dense(d.Participants[0].Train)
				if err != nil || !slices.Equal(d.Columns, []string{"x"}) || !slices.Equal(x.RawMatrix().Data, []float64{1.5, 2.5, 3.5}) || !slices.Equal(d.Classes, []string{"breit", "höhe"}) {
					t.Errorf("%s as %s: columns %v, classes %v, %v", name, source, d.Columns, d.Classes, err)
				}
			}
		}
	}
	// In a folder, a text may be anything.
	folder(t, "a.csv", text, "notes.txt", "Read me\n", "b.tsv", text)
	if files, err := dataset.Resolve([]string{"."}); err != nil || !slices.Equal(files, []string{"a.csv", "b.tsv"}) {
		t.Errorf("got %v, %v", files, err)
	}
	if files, err := dataset.Resolve([]string{"*.txt"}); err != nil || !slices.Equal(files, []string{"notes.txt"}) {
		t.Errorf("got %v, %v", files, err)
	}
}

// Files in a folder that may be of any kind count if it has no other kinds. Otherwise a line names them.
func TestFilesOfAnyKindInAFolder(t *testing.T) {
	const rows = "x,y\n1,2\n3,5\n2,4\n"
	for _, c := range []struct {
		names, want []string
		aside       int
	}{
		{[]string{"a.txt", "b.dat", "c.txt.gz"}, []string{"a.txt", "b.dat", "c.txt.gz"}, 0},
		{[]string{"a.csv", "b.csv", "c.txt", "d.dat"}, []string{"a.csv", "b.csv"}, 1},
		{[]string{"a.csv", ".b.txt", "c.md"}, []string{"a.csv"}, 0},
		{[]string{"a.txt", "c.md"}, nil, 0},
	} {
		var files []string
		for _, name := range c.names {
			files = append(files, "d/"+name, rows)
		}
		folder(t, files...)
		for _, data := range []string{"d", "d/*"} {
			got, err := dataset.Resolve([]string{data})
			for i := range got {
				got[i] = filepath.Base(got[i])
			}
			if !slices.Equal(got, c.want) || err == nil != (c.want != nil) {
				t.Errorf("%s of %v: got %v, %v", data, c.names, got, err)
			}
			if c.want == nil {
				continue
			}
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{data}})
			if err != nil || len(d.Gaps.Aside) != c.aside {
				t.Errorf("%s of %v: got %+v, %v", data, c.names, d, err)
			}
		}
	}
}

// The columns of a source that can be read only once are known after it has been read.
func TestColumnsOfASourceThatWasRead(t *testing.T) {
	spec := dataset.Spec{Data: []string{"-"}, Ignore: []string{"of", "elsewhere"}}
	if err := spec.Forward(t.Context(), strings.NewReader("x,of\n1,2\n3,4\n"), never); err != nil {
		t.Fatal(err)
	}
	load := spec
	load.Ignore = []string{"of"}
	if _, err := dataset.LoadOne(load); err != nil {
		t.Fatal(err)
	}
	if got, err := spec.IgnoredIn("standard input"); err != nil || !slices.Equal(got, []string{"of"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// A stream may begin with whole numbers. The first number with a comma then shows the decimal sign.
func TestDecimalSignOfAStreamThatBeginsWithWholeNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"a;b\n0;0\n0;0\n|61,15;3\n7;2,5\n": {0, 0, 0, 0, 61.15, 3, 7, 2.5},
		"a;b\n0;0\n|61.15;3\n":             {0, 0, 61.15, 3},
		"a,b\n0,0\n|1,2\n":                 {0, 0, 1, 2},
	} {
		now, later, _ := strings.Cut(text, "|")
		from, to := io.Pipe()
		silent := make(chan time.Time)
		go func() {
			_, _ = io.WriteString(to, now)
			silent <- time.Time{}
			_, _ = io.WriteString(to, later)
			to.Close()
		}()
		spec := dataset.Spec{Data: []string{"-"}, Columns: []string{"a", "b"}, Missing: dataset.KeepMissing, Scored: true}
		if err := spec.Forward(t.Context(), from, func() <-chan time.Time { return silent }); err != nil {
			t.Fatal(err)
		}
		var got []float64
		if _, err := dataset.Scan(spec, uncarried, func(b dataset.Block) error {
			got = append(got, slices.Concat(b.X.RawMatrix().Data)...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
