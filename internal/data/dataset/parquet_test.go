package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/testkit"
)

// parquetFile returns the content of a file with these rows.
func parquetFile[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// measured has a column of each physical type, stored in several ways.
type measured struct {
	Double   float64  `parquet:"double,plain"`
	Coded    float64  `parquet:"coded,dict"`
	Split    float64  `parquet:"split,split"`
	Single   float32  `parquet:"single,plain"`
	Int      int32    `parquet:"int,plain"`
	Delta    int64    `parquet:"delta,delta"`
	Few      int64    `parquet:"few,dict"`
	Byte     uint8    `parquet:"byte"`
	Unsigned uint32   `parquet:"unsigned"`
	Huge     uint64   `parquet:"huge"`
	Truth    bool     `parquet:"truth"`
	Price    int64    `parquet:"price,decimal(2:18)"`
	Small    int32    `parquet:"small,decimal(3:9)"`
	Wide     [16]byte `parquet:"wide,decimal(1:38)"`
	Maybe    *float64 `parquet:"maybe,optional"`
	MaybeInt *int32   `parquet:"maybeint,optional,dict"`
}

func wide(v int64) (b [16]byte) {
	for i := range b {
		b[i] = byte(v >> max(0, min(63, 8*(15-i))))
		if 8*(15-i) > 63 {
			b[i] = byte(v >> 63)
		}
	}
	return b
}

// measure returns a row and its numbers in the order of the columns.
func measure(i int) (measured, []float64) {
	v, k := float64(i)/4-3, int32(i%7)
	m := measured{
		v, float64(i % 3), v, float32(v), int32(i) - 5, int64(i) * -3, int64(i % 5), byte(i), math.MaxUint32 - uint32(i), math.MaxUint64 - uint64(i),
		i%3 == 1, int64(-25 * i), int32(i), wide(int64(-i)), &v, &k,
	}
	truth := 0.0
	if m.Truth {
		truth = 1
	}
	return m, []float64{
		v, float64(i % 3), v, float64(float32(v)), float64(i - 5), float64(-3 * i), float64(i % 5), float64(byte(i)), float64(m.Unsigned), float64(m.Huge),
		truth, float64(-25*i) / 100, float64(i) / 1000, float64(-i) / 10, v, float64(k),
	}
}

// TestParquetTypes reads all types of numbers, in several row groups and pages.
func TestParquetTypes(t *testing.T) {
	var rows []measured
	var want [][]float64
	for i := range 700 {
		row, values := measure(i)
		rows, want = append(rows, row), append(want, values)
	}
	for _, options := range [][]parquet.WriterOption{
		nil,
		{parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(300)},
		{parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(64)},
		{parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)},
		{parquet.DataPageVersion(1), parquet.PageBufferSize(100), parquet.MaxRowsPerRowGroup(257)},
	} {
		folder(t, "f.parquet", parquetFile(t, rows, options...))
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.parquet"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Columns) != len(want[0]) || d.Columns[13] != "wide" || d.Ignored != nil {
			t.Fatalf("columns %q, ignored %q", d.Columns, d.Ignored)
		}
		if got := values(d.Participants[0].Train); !reflect.DeepEqual(got, want) {
			for i, row := range got {
				if !slices.Equal(row, want[i]) {
					t.Fatalf("row %d: got %v, want %v", i, row, want[i])
				}
			}
			t.Fatalf("got %d rows, want %d", len(got), len(want))
		}
	}
}

// withoutIndex removes the index of pages, which many writers leave out.
func withoutIndex(t testing.TB, content string) string {
	t.Helper()
	end := len(content) - 8
	start := end - int(binary.LittleEndian.Uint32([]byte(content[end:])))
	var protocol thrift.CompactProtocol
	var footer format.FileMetaData
	if err := thrift.Unmarshal(&protocol, []byte(content[start:end]), &footer); err != nil {
		t.Fatal(err)
	}
	for _, g := range footer.RowGroups {
		for i := range g.Columns {
			c := &g.Columns[i]
			c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
		}
	}
	b, err := thrift.Marshal(&protocol, footer)
	if err != nil {
		t.Fatal(err)
	}
	return content[:start] + string(binary.LittleEndian.AppendUint32(b, uint32(len(b)))) + "PAR1"
}

// TestDamagedParquet changes each byte, and truncates the file. The result is a typed error of one
// line, or other numbers.
func TestDamagedParquet(t *testing.T) {
	testkit.SkipRaced(t)
	content := parquetFile(t, sites[:3], parquet.Compression(&parquet.Snappy), parquet.DataPageStatistics(false))
	folder(t, "f.parquet", content)
	read := func(content string) {
		t.Helper()
		if err := os.WriteFile("f.parquet", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.parquet"}, Label: "label", Where: condition("part=train")})
		var typed *dataset.Error
		if err != nil && (!errors.As(err, &typed) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("untyped error %v", err)
		}
	}
	for i := range content {
		read(content[:i] + string([]byte{content[i] ^ 0x81}) + content[i+1:])
		if i%16 == 0 {
			read(content[:i])
		}
	}
	// The error for a damaged footer does not use the words of the library.
	folder(t, "f.parquet", content[:len(content)-9]+strings.Repeat("\xff", 1)+content[len(content)-8:])
	_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.parquet"}})
	wantError(t, err, `f.parquet: the Parquet file is damaged: its footer, which says where the rows are, cannot be read; copy or write it again`)
	for cut, want := range map[int]string{
		3:                `f.parquet: this is no Parquet file: it is too short; copy or write it again`,
		len(content) - 1: `f.parquet: the Parquet file ends too early; copy it again`,
	} {
		folder(t, "f.parquet", content[:cut])
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.parquet"}})
		wantError(t, err, want)
	}
}

func TestParquetErrors(t *testing.T) {
	type few struct {
		A *float64 `parquet:"a"`
		B string   `parquet:"b"`
		L []int32  `parquet:"l,list"`
	}
	type other struct {
		A string `parquet:"a"`
		B string `parquet:"b"`
	}
	one, nan := 1.0, math.NaN()
	folder(
		t,
		"fine.parquet", parquetFile(t, []few{{&one, "x", nil}}),
		"null.parquet", parquetFile(t, []few{{&one, "x", nil}, {nil, "x", nil}}),
		"nan.parquet", parquetFile(t, []few{{&nan, "x", nil}}),
		"other.parquet", parquetFile(t, []other{{"1", "x"}}),
		"none.parquet", parquetFile(t, []few{}),
	)
	for _, c := range []struct {
		data        []string
		label, want string
	}{
		{[]string{"null.parquet"}, "b", `null.parquet: row 2: column "a": the cell is empty; fill it, or leave the column out with --ignore a, or see --missing`},
		{[]string{"nan.parquet"}, "", `nan.parquet: row 1: column "a": want a finite number, got "NaN"; fix the cell, or leave the column out with --ignore a, or see --missing`},
		{[]string{"null.parquet"}, "a", `null.parquet: no column is a feature: none that is left holds numbers; columns are "a", "b", "l"`},
		{[]string{"fine.parquet"}, "l", `fine.parquet: column "l": want numbers or text, got a column of another type; convert it, or name another column`},
		{[]string{"fine.parquet", "other.parquet"}, "", `other.parquet: column "a": want numbers, got a column of another type; convert it`},
		{[]string{"none.parquet"}, "", `none.parquet: the file has no rows`},
	} {
		_, err := dataset.LoadOne(dataset.Spec{Data: c.data, Label: c.label})
		wantError(t, err, c.want)
	}
}

// sited has the columns of table.
type sited struct {
	Temp  float64 `parquet:"temp"`
	Site  string  `parquet:"site,dict"`
	Flow  int32   `parquet:"flow"`
	Label int8    `parquet:"label"`
	Part  string  `parquet:"part"`
}

var sites = []sited{
	{1, "north", 10, -1, "train"},
	{2, "south", 20, -1, "train"},
	{3, "north", 30, 0, "test"},
	{4, "south", 40, 1, "test "},
	{5, "north", 50, 0, "old"},
}

// TestParquetIsAsCSV checks that the same rows load equally from Parquet and from CSV.
func TestParquetIsAsCSV(t *testing.T) {
	folder(t, "all.csv", table, "all.Parquet", parquetFile(t, sites))
	for _, spec := range []dataset.Spec{
		{},
		{Label: "label", Where: condition("part=train"), TestWhere: condition("part=test"), Split: split("column=site")},
		{Label: "label", TestWhere: condition("temp=2"), Split: split("iid:clients=2"), Seed: 7},
		{Label: "site", Where: condition("label=-1"), Ignore: []string{"flow"}, Limit: 1},
		{Columns: []string{"flow", "temp"}},
		{Where: condition("part=gone")},
		{Ignore: []string{"gone"}},
		{Label: "gone"},
		{Split: split("column=flow")},
	} {
		var got, want [2]any
		for i, load := range []func(dataset.Spec) (*dataset.Dataset, error){dataset.LoadAll, dataset.LoadOne} {
			spec.Data = []string{"all.csv"}
			d, err := load(spec)
			want[i] = outcome(d, err)
			spec.Data = []string{"all.Parquet"}
			d, err = load(spec)
			got[i] = outcome(d, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nParquet %+v\nCSV     %+v", spec, got, want)
		}
	}
}

// outcome returns the loaded data set, or the error without the name of its file.
func outcome(d *dataset.Dataset, err error) any {
	if err != nil {
		e := *err.(*dataset.Error)
		e.File = ""
		return e
	}
	d.FirstClass = "" // names a line in CSV, and a row in other formats
	for i := range d.Suspects {
		d.Suspects[i].File = ""
	}
	return *d
}

// TestFormsCanBeMixed checks that a folder may have several formats. Columns are matched by name.
func TestFormsCanBeMixed(t *testing.T) {
	folder(t, "d/a.csv", "flow,temp,site,label,part\n9,8,x,0,train\n", "d/b.parquet", parquetFile(t, sites), "d/.c.parquet", "")
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"d"}, Label: "label", Where: condition("part=train")})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(d.Participants[1].Train); d.Participants[1].Name != "b" || !reflect.DeepEqual(got, [][]float64{{10, 1}, {20, 2}}) {
		t.Errorf("got %v of %q", got, d.Participants[1].Name)
	}
}
