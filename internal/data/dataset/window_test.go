package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// means returns the column of window means of the only data column.
func means(t *testing.T, p dataset.Participant, test bool) []float64 {
	t.Helper()
	of := p.Train
	if test {
		of = p.Test
	}
	x, err := rows.Dense(of)
	if err != nil {
		t.Fatal(err)
	}
	return mat.Col(nil, 1, x)
}

// A window holds consecutive rows of one file, of one participant and of one kind.
func TestWindowsBegin(t *testing.T) {
	folder(
		t, "a.csv", "x,split\n1,train\n3,train\n5,test\n7,test\n9,train\n11,train\n", "b.csv", "x,split\n100,train\n",
		"two.csv", "x,who\n1,a\n10,b\n3,a\n20,b\n", "when.csv", "x,at\n1,10\n3,20\n5,31\n7,62\n9,71\n",
		"days.csv", "x,at\n1,2024-05-17T08:00:00Z\n3,2024-05-17T08:01:00.5Z\n5,2024-05-17T10:02:00+02:00\n7,2024-05-17T09:00:00Z\n",
		"joined.csv", "x,day,of day\n1,16.05.2026,23:50\n3,16.05.2026,23:55\n5,17.05.2026,00:00\n7,17.05.2026,00:30\n9,17.05.2026,00:35\n",
		"when.parquet", parquetFile(t, []struct {
			X  float64 `parquet:"x"`
			At int64   `parquet:"at"`
		}{{1, 10}, {3, 20}, {5, 31}, {7, 62}, {9, 71}}),
		"days.parquet", parquetFile(t, []struct {
			X  float64 `parquet:"x"`
			At string  `parquet:"at"`
		}{{1, "2024-05-17T08:00:00Z"}, {3, "2024-05-17T08:01:00Z"}, {5, "2024-05-17T08:02:00Z"}, {7, "2024-05-17T08:30:00Z"}}),
	)
	for _, c := range []struct {
		name        string
		spec        dataset.Spec
		train, test []float64
	}{
		{"file by file", dataset.Spec{Data: []string{"a.csv", "b.csv"}, Ignore: []string{"split"}}, []float64{1, 2, 4, 6, 8, 10, 100}, []float64{1, 2, 4, 6, 8, 10, 100}},
		{"kinds", dataset.Spec{Data: []string{"a.csv"}, TestWhere: dataset.Condition{Column: "split", Value: "test"}}, []float64{1, 2, 9, 10}, []float64{5, 6}},
		{"dropped rows", dataset.Spec{Data: []string{"a.csv"}, Where: dataset.Condition{Column: "split", Value: "train"}}, []float64{1, 2, 9, 10}, []float64{1, 2, 9, 10}},
		{"gaps", dataset.Spec{Data: []string{"when.csv"}, Time: "at"}, []float64{1, 2, 4, 7, 8}, []float64{1, 2, 4, 7, 8}},
		{"Parquet", dataset.Spec{Data: []string{"when.parquet"}, Time: "at"}, []float64{1, 2, 4, 7, 8}, []float64{1, 2, 4, 7, 8}},
		{"text in Parquet", dataset.Spec{Data: []string{"days.parquet"}, Time: "at"}, []float64{1, 2, 4, 7}, []float64{1, 2, 4, 7}},
		{"no times", dataset.Spec{Data: []string{"when.csv"}, Columns: []string{"x"}}, []float64{1, 2, 4, 6, 8}, []float64{1, 2, 4, 6, 8}},
		{"RFC 3339", dataset.Spec{Data: []string{"days.csv"}, Time: "at"}, []float64{1, 2, 4, 7}, []float64{1, 2, 4, 7}},
		{"a date and a time of day", dataset.Spec{Data: []string{"joined.csv"}, Time: "day"}, []float64{1, 2, 4, 7, 8}, []float64{1, 2, 4, 7, 8}},
		{"a time of day that is ignored", dataset.Spec{Data: []string{"joined.csv"}, Time: "day", Ignore: []string{"of day"}}, []float64{1, 2, 4, 7, 8}, []float64{1, 2, 4, 7, 8}},
		{"agreed columns", dataset.Spec{Data: []string{"joined.csv"}, Time: "day", Columns: []string{"x"}}, []float64{1, 2, 4, 7, 8}, []float64{1, 2, 4, 7, 8}},
		{"a limit", dataset.Spec{Data: []string{"when.csv"}, Time: "at", Limit: 2}, []float64{1, 2}, []float64{1, 2}},
	} {
		for _, memory := range []int64{0, 8} { // in memory, and in files
			c.spec.Window, c.spec.Memory = 2, memory
			d, err := dataset.LoadOne(c.spec)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			p := d.Participants[0]
			if got := dataset.Streams(p.Train); got != (memory > 0) {
				t.Errorf("%s: rows in files: %t", c.name, got)
			}
			if !slices.Equal(p.Columns, []string{"x", "x (mean of 2)", "x (deviation of 2)"}) {
				t.Errorf("%s: columns %v", c.name, p.Columns)
			}
			if got := means(t, p, false); !slices.Equal(got, c.train) {
				t.Errorf("%s: training rows: got %v, want %v", c.name, got, c.train)
			}
			if got := means(t, p, true); !slices.Equal(got, c.test) {
				t.Errorf("%s: test rows: got %v, want %v", c.name, got, c.test)
			}
		}
	}
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"two.csv"}, Window: 2, Split: partition.Split{Kind: partition.ByColumn, Column: "who"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := means(t, d.Participants[0], false), means(t, d.Participants[1], false); !slices.Equal(a, []float64{1, 2}) || !slices.Equal(b, []float64{10, 15}) {
		t.Errorf("got %v and %v", a, b)
	}
}

// Rows that are scanned have the same windows as rows that are loaded.
func TestScannedWindows(t *testing.T) {
	var a strings.Builder
	a.WriteString("x,at,kind\n")
	at := 0
	for i := range 9000 {
		if at += 10; i%1700 == 1699 {
			at += 1000
		}
		fmt.Fprintf(&a, "%d,%d,%s\n", i*i%97, at, []string{"old", "new"}[min(i%41, 1)])
	}
	folder(t, "a.csv", a.String(), "b.csv", "x,at,kind\n5,1,new\n6,2,new\n")
	spec := dataset.Spec{Data: []string{"a.csv", "b.csv"}, Columns: []string{"x"}, Time: "at", Where: dataset.Condition{Column: "kind", Value: "new"}, Window: 20}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rows.Dense(d.Participants[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	_, err = dataset.Scan(spec, uncarried, func(b dataset.Block) error {
		x := b.X

		got = append(got, x.RawMatrix().Data...)
		return nil
	})
	if err != nil || !slices.Equal(got, want.RawMatrix().Data) {
		t.Errorf("%d values, %v, want %d", len(got), err, len(want.RawMatrix().Data))
	}
}

func TestWindowErrors(t *testing.T) {
	folder(
		t, "back.csv", "x,at\n1,10\n3,20\n5,15\n7,62\n", "text.csv", "x,at\n1,10\n3,noon\n5,15\n", "empty.csv", "x,at\n1,10\n3,\n5,15\n",
		"p.csv", "x\n1\n2\n3\n4\n",
	)
	for want, spec := range map[string]dataset.Spec{
		`back.csv:4: column "at": want rows in the order of time, got 15 after a later one; sort the rows of the file`: {Data: []string{"back.csv"}, Time: "at"},
		`text.csv:3: column "at": `:  {Data: []string{"text.csv"}, Time: "at"},
		`empty.csv:3: column "at": `: {Data: []string{"empty.csv"}, Time: "at"},
		`column "when": `:            {Data: []string{"back.csv"}, Time: "when"},
	} {
		spec.Window = 2
		if _, err := dataset.LoadOne(spec); err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "back.csv: "), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		spec.Columns = []string{"x"}
		if _, err := dataset.Scan(spec, uncarried, func(dataset.Block) error { return nil }); err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "back.csv: "), want) {
			t.Errorf("scan: got %v, want %s", err, want)
		}
	}
	split := partition.Split{Kind: partition.IID, Clients: 2}
	if _, err := dataset.LoadAll(dataset.Spec{Data: []string{"p.csv"}, Window: 2, Split: split}); err == nil || !strings.Contains(err.Error(), "a window wants rows as they follow each other") {
		t.Errorf("got %v", err)
	}
}

// Rows that are written and read again have the same windows, unless the first one has a single
// row: no step before the second row says that the one to it is long.
func TestWrittenWindows(t *testing.T) {
	folder(t, "a.csv", "x,at,split\n1,10,train\n3,20,train\n5,31,train\n7,162,train\n9,171,train\n1,180,test\n4,190,test\n", "b.csv", "x,at,split\n100,5,train\n2,7,test\n")
	spec := dataset.Spec{Data: []string{"a.csv", "b.csv"}, Name: "p", Time: "at", Window: 3, TestWhere: dataset.Condition{Column: "split", Value: "test"}}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.csv")
	again, err := dataset.Write(path, d.Participants[0])
	if err != nil {
		t.Fatal(err)
	}
	again.Window = 3
	e, err := dataset.LoadOne(again)
	if err != nil {
		text, _ := os.ReadFile(path)
		t.Fatalf("%v\n%s", err, text)
	}
	for _, test := range []bool{false, true} {
		if got, want := means(t, e.Participants[0], test), means(t, d.Participants[0], test); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// Any date of a file whose first part is above 12 shows that the day comes first.
func TestDayFirstIsRecognised(t *testing.T) {
	var days, months strings.Builder
	days.WriteString("x,when\n")
	months.WriteString("x,when\n")
	for i := range 30 * 24 {
		fmt.Fprintf(&days, "%d,%02d/03/2026 %02d:00\n", i%7, 1+i/24, i%24)
		fmt.Fprintf(&months, "%d,3/%d/2026 %d:00\n", i%7, 1+i/24, i%24)
	}
	folder(t, "d.csv", days.String(), "d.csv.gz", zipped(t, days.String()), "m.csv", months.String())
	for _, file := range []string{"d.csv", "d.csv.gz", "m.csv"} {
		for _, memory := range []int64{0, 1} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Window: 3, Time: "when", Memory: memory, Folder: t.TempDir()})
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if n, _ := d.Participants[0].Train.Dims(); n != 30*24 {
				t.Errorf("%s: got %d rows", file, n)
			}
		}
	}
}

// A row to be scored whose window has too few rows has its values alone, whatever happens to missing cells: a mean and
// a deviation of few rows are unlike those of training.
func TestScoredWindowsAreFull(t *testing.T) {
	folder(t, "a.csv", "x\n1\n3\n5\n")
	for _, missing := range []string{dataset.KeepMissing, dataset.SkipMissing, dataset.RefuseMissing} {
		var got []float64
		spec := dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x"}, Window: 3, Scored: true, Missing: missing}
		_, err := dataset.Scan(spec, func([]string) error { return nil }, func(b dataset.Block) error {
			for i := range b.Numbers {
				got = append(got, b.X.RawRowView(i)...)
			}
			return nil
		})
		none := math.NaN()
		want := []float64{1, none, none, 3, none, none, 5, 3, math.Sqrt(8. / 3)}
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("missing cells %s: got %v, want %v; %v", missing, got, want, err)
		}
	}
}

// Windows that are added after loading are those of a Spec with them: they begin at the same rows, and
// leave the same known anomalies out.
func TestWindowsAreAddedLater(t *testing.T) {
	folder(
		t, "a.csv", "x,at,split,label\n1,10,train,0\n3,20,train,0\n5,31,train,1\n7,40,train,0\n9,50,train,0\n1,60,train,0\n4,162,train,0\n2,170,test,1\n5,180,test,0\n",
		"b.csv", "x,at,split,label\n100,5,train,0\n2,7,test,0\n",
	)
	for _, spec := range []dataset.Spec{
		{TestWhere: dataset.Condition{Column: "split", Value: "test"}},
		{Where: dataset.Condition{Column: "split", Value: "train"}},
		{TestWhere: dataset.Condition{Column: "split", Value: "test"}, Float32: true},
		{Where: dataset.Condition{Column: "split", Value: "train"}, Memory: 1},
	} {
		spec.Data, spec.Name, spec.Time, spec.Label, spec.Anomalies, spec.Normal, spec.Window = []string{"a.csv", "b.csv"}, "p", "at", "label", true, true, 3
		given, err := dataset.LoadOne(spec)
		if err != nil {
			t.Fatal(err)
		}
		spec.Window = -1
		later, err := dataset.LoadOne(spec)
		if err != nil {
			t.Fatal(err)
		}
		if n := later.Participants[0].KnownAnomalies(); n != 1 || len(later.Columns) != 1 {
			t.Errorf("without windows: %d rows of known anomalies, columns %v", n, later.Columns)
		}
		got, want := dataset.Window(later.Participants, 3)[0], given.Participants[0]
		if !slices.Equal(got.Columns, want.Columns) || !slices.Equal(got.TrainLabels, want.TrainLabels) || got.KnownAnomalies() != 3 || want.KnownAnomalies() != 3 {
			t.Errorf("%+v: columns %v, labels %v, %d known anomalies", spec, got.Columns, got.TrainLabels, got.KnownAnomalies())
		}
		for _, test := range []bool{false, true} {
			if got, want := means(t, got, test), means(t, want, test); !slices.Equal(got, want) {
				t.Errorf("%+v: got %v, want %v", spec, got, want)
			}
		}
		if none := dataset.Window(later.Participants, 0)[0]; none.Train != later.Participants[0].Train {
			t.Error("a window of no rows changes the rows")
		}
	}
}

// Rows in single precision are written like others.
func TestNarrowRowsAreWritten(t *testing.T) {
	folder(t, "a.csv", "x\n1\n3\n5\n")
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Float32: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := dataset.Write("b.csv", d.Participants[0])
	if err != nil {
		t.Fatal(err)
	}
	if d, err = dataset.LoadOne(again); err != nil {
		t.Fatal(err)
	}
	if got := valuesOf(t, d.Participants[0], false); !slices.Equal(got, []float64{1, 3, 5}) {
		t.Errorf("got %v", got)
	}
}
