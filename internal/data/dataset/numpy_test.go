package dataset_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/npz"
)

// array returns a .npy file as NumPy writes it. data are numbers and slices of fixed size, in the
// byte order of descr.
func array(version byte, descr, order, shape string, data ...any) string {
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	var b bytes.Buffer
	b.WriteString("\x93NUMPY" + string([]byte{version, 0}))
	if version == 1 {
		_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	} else {
		_ = binary.Write(&b, binary.LittleEndian, uint32(len(header)))
	}
	b.WriteString(header)
	for _, v := range data {
		var bytes binary.ByteOrder = binary.LittleEndian
		if descr[1] == '>' {
			bytes = binary.BigEndian
		}
		_ = binary.Write(&b, bytes, v)
	}
	return b.String()
}

func TestNumpyTypes(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    [][]float64
	}{
		"C order":    {array(1, "'<f8'", "False", "(2, 3)", []float64{1, 2, 3, 4, 5, 6.5}), [][]float64{{1, 2, 3}, {4, 5, 6.5}}},
		"Fortran":    {array(1, "'<f8'", "True", "(2, 3)", []float64{1, 4, 2, 5, 3, 6}), [][]float64{{1, 2, 3}, {4, 5, 6}}},
		"single":     {array(2, "'<f4'", "False", "(3, 1)", []float32{1, 2, 0.5}), [][]float64{{1}, {2}, {0.5}}},
		"half":       {array(1, "'<f2'", "False", "(2, 3)", []uint16{0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x8400}), [][]float64{{1, -2, 1365. / 4096}, {65504, 0x1p-24, -0x1p-14}}},
		"big half":   {array(1, "'>f2'", "True", "(1, 2)", []uint16{0x3800, 0x03ff}), [][]float64{{0.5, 1023 * 0x1p-24}}},
		"big endian": {array(3, "'>f8'", "True", "(1, 2)", []float64{1, 2}), [][]float64{{1, 2}}},
		"one":        {array(1, "'<i8'", "True", "(2,)", []int64{-1, 1 << 40}), [][]float64{{-1}, {1 << 40}}},
		"i1":         {array(1, "'|i1'", "False", "(1, 2)", []int8{-1, 3}), [][]float64{{-1, 3}}},
		"u1":         {array(1, "'|u1'", "False", "(1, 2)", []uint8{255, 3}), [][]float64{{255, 3}}},
		"b1":         {array(1, "'|b1'", "False", "(1, 2)", []uint8{1, 0}), [][]float64{{1, 0}}},
		"i2":         {array(1, "'>i2'", "False", "(1, 2)", []int16{-2, 3}), [][]float64{{-2, 3}}},
		"u2":         {array(1, "'<u2'", "False", "(1, 1)", []uint16{65535}), [][]float64{{65535}}},
		"i4":         {array(1, "'<i4'", "False", "(1, 1)", []int32{-7}), [][]float64{{-7}}},
		"u4":         {array(1, "'<u4'", "False", "(1, 1)", []uint32{math.MaxUint32}), [][]float64{{math.MaxUint32}}},
		"u8":         {array(1, "'<u8'", "False", "(1, 1)", []uint64{1 << 63}), [][]float64{{1 << 63}}},
	} {
		folder(t, "f.NPY", c.content)
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.NPY"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := values(d.Participants[0].Train); !reflect.DeepEqual(got, c.want) || d.Columns[0] != "c1" {
			t.Errorf("%s: got %v of columns %q", name, got, d.Columns)
		}
	}
}

// records returns a .npy file of records.
func records(rows []sited) string {
	var data []any
	for _, s := range rows {
		var site [6]uint32
		for i, r := range s.Site {
			site[i] = uint32(r)
		}
		var part [6]byte
		copy(part[:], s.Part)
		data = append(data, s.Temp, site, s.Flow, s.Label, part)
	}
	const descr = "[('temp', '<f8'), ('site', '<U6'), ('flow', '<i4'), ('label', '|i1'), ('part', '|S6')]"
	return array(1, descr, "False", fmt.Sprintf("(%d,)", len(rows)), data...)
}

// TestNumpyRecords checks that records, also with text fields, load like the CSV of table.
func TestNumpyRecords(t *testing.T) {
	folder(t, "all.csv", table, "all.npy", records(sites))
	for _, spec := range []dataset.Spec{
		{Label: "label", Where: condition("part=train"), TestWhere: condition("part=test"), Split: split("column=site")},
		{Label: "site", Ignore: []string{"part"}, Split: split("iid:clients=2")},
		{Columns: []string{"flow", "temp"}, Split: split("column=flow")},
		{Where: condition("flow=31")},
	} {
		spec.Data = []string{"all.csv"}
		want := outcome(dataset.LoadAll(spec))
		spec.Data = []string{"all.npy"}
		if got := outcome(dataset.LoadAll(spec)); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nNumPy %+v\nCSV   %+v", spec, got, want)
		}
	}
}

// archive returns an .npz file.
func archive(t testing.TB, method uint16, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		out, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = io.WriteString(out, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestNumpyArchive(t *testing.T) {
	var b bytes.Buffer
	w := npz.NewWriter(&b)
	if err := npz.Put(w, "rows", npz.Array[float64]{Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	folder(t, "f.npz", b.String())
	for _, memory := range []int64{0, 1} {
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.npz"}, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 4)
		if err := d.Participants[0].Train.ReadRows(x, 0); err != nil || !reflect.DeepEqual(x, []float64{1, 2, 3, 4}) {
			t.Errorf("got %v, %v", x, err)
		}
	}
}

func TestNumpyErrors(t *testing.T) {
	two := array(1, "'<f8'", "False", "(1, 2)", []float64{1, 2})
	for _, c := range []struct{ file, content, want string }{
		{"f.npy", "", `f.npy: not a NumPy array; write it again with numpy.save`},
		{"f.npy", two[:len(two)-1], `f.npy: shape [1 2] with 8 bytes per element does not match the 15 bytes of data; write it again with numpy.save`},
		{"f.npy", array(1, "'|O'", "False", "(1,)"), `f.npy: elements of type |O cannot be read; save it as float64 with numpy.save`},
		{"f.npy", array(4, "'<f8'", "False", "(1,)"), `f.npy: want .npy version 1, 2 or 3, got 4.0; save it as float64 with numpy.save`},
		{"f.npy", array(1, "'<f8'", "False", "(0, 2)"), `f.npy: the file has no rows`},
		{"f.npy", array(1, "'<f8'", "False", "()", 1.0), `f.npy: want an array of two dimensions, or records in one, got shape []; reshape it, a sample a row`},
		{"f.npy", array(1, "'<f8'", "False", "(1, 1, 1)", 1.0), `f.npy: want an array of two dimensions, or records in one, got shape [1 1 1]; reshape it, a sample a row`},
		{"f.npy", array(1, "'<f2'", "False", "(1, 2)", []uint16{0, 0xfc00}), `f.npy: row 1: column "c2": want a finite number, got "-Inf"; fix the cell, or leave the column out with --ignore c2`},
		{"f.npy", array(1, "'<f2'", "False", "(1, 2)", []uint16{0, 0x7e00}), `f.npy: row 1: column "c2": want a finite number, got "NaN"; fix the cell, or leave the column out with --ignore c2, or see --missing`},
		{"f.npy", array(1, "'<c8'", "False", "(1, 1)", []float32{1, 2}), `f.npy: want an array of numbers of at most 64 bits, got elements of type <c8; save it as float64 with numpy.save`},
		{"f.npy", array(1, "'<f16'", "False", "(1,)", []float64{1, 2}), `f.npy: want an array of numbers of at most 64 bits, got elements of type <f16; save it as float64 with numpy.save`},
		{"f.npy", array(1, "'|S1'", "False", "(1, 1)", byte('x')), `f.npy: no column is a feature: none that is left holds numbers; columns are "c1"`},
		{"f.npy", array(1, "[('a', '|u1'), ('a', '|u1')]", "False", "(1,)", []byte{1, 2}), `f.npy: column "a": the name stands twice; rename one`},
		{"f.npy", array(1, "[('a\u202e', '|u1')]", "False", "(1,)", []byte{1}), `f.npy: column "a\u202e": the name has characters that cannot be seen; rename it`},
		{"f.npy", array(1, "'<f8'", "False", "(1, 2)", []float64{1, math.NaN()}), `f.npy: row 1: column "c2": want a finite number, got "NaN"; fix the cell, or leave the column out with --ignore c2, or see --missing`},
		{"f.npz", "", `f.npz: not an .npz file: zip: not a valid zip file; write it again with numpy.save`},
		{"f.npz", archive(t, zip.Store, "a.npy", two, "b.npy", two), `f.npz: want an .npz file with one array, got "a.npy", "b.npy"; save the rows by themselves, with numpy.save`},
		{"f.npz", archive(t, zip.Deflate, "a.npy", two), `f.npz: the array is compressed, so that its rows cannot be found; save it with numpy.save`},
	} {
		folder(t, c.file, c.content)
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{c.file}})
		wantError(t, err, c.want)
	}
}
