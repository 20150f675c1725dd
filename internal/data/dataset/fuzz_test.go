package dataset_test

import (
	"archive/zip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// FuzzLoad checks that any bytes in a file give a typed error, or rows of finite numbers and, where
// cells may be missing, of NaN.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(table))
	f.Add([]byte(zipped(f, table)))
	f.Add([]byte("\ufeffa;b\n1;2\n"))
	f.Add([]byte(" \na,label\n1e61,\xff\n0x1p0,1_0\n"))
	f.Add([]byte("\"a\"\"b\",label\n\"1\",x\n"))
	f.Add([]byte(holes))
	fuzzLoad(f, "f.csv")
}

// FuzzParquet does the same with Parquet.
func FuzzParquet(f *testing.F) {
	type few struct {
		A float64 `parquet:"a"`
		B *int32  `parquet:"b,dict"`
		C string  `parquet:"label,optional"`
	}
	one := int32(1)
	rows := []few{{1, &one, "x"}, {2, &one, ""}, {3, &one, "y"}, {4, &one, "x"}}
	f.Add([]byte(parquetFile(f, rows[:1])))
	f.Add([]byte(parquetFile(f, rows, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1))))
	f.Add([]byte(parquetFile(f, rows, parquet.MaxRowsPerRowGroup(3), parquet.PageBufferSize(20))))
	fuzzLoad(f, "f.parquet")
}

// FuzzNumpy does the same with an array.
func FuzzNumpy(f *testing.F) {
	f.Add([]byte(array(1, "'<f8'", "False", "(2, 3)", []float64{1, 2, 3, 4, 5, 6.5})))
	f.Add([]byte(array(2, "'>i2'", "True", "(2, 2)", []int16{1, 2, 3, 4})))
	f.Add([]byte(records(sites)))
	fuzzLoad(f, "f.npy")
}

// FuzzNumpyArchive does the same with an archive.
func FuzzNumpyArchive(f *testing.F) {
	f.Add([]byte(archive(f, zip.Store, "x.npy", array(1, "'<f4'", "False", "(1, 2)", []float32{1, 2}))))
	fuzzLoad(f, "f.npz")
}

// FuzzIDX does the same with images, FuzzZippedIDX with compressed ones.
func FuzzIDX(f *testing.F) {
	images, _ := digits(2)
	f.Add([]byte(images))
	f.Add([]byte(idxBytes([]int{2, 2}, 1, 2, 3, 4)))
	fuzzLoad(f, "f-images-idx3-ubyte")
}

func FuzzZippedIDX(f *testing.F) {
	images, _ := digits(2)
	f.Add([]byte(zipped(f, images)))
	fuzzLoad(f, "f-images-idx3-ubyte.gz")
}

// FuzzNDJSON does the same with objects.
func FuzzNDJSON(f *testing.F) {
	f.Add([]byte(readings))
	f.Add([]byte("\ufeff\n{\"a\": 1e61, \"b\": null}\r\n \n{\"b\":\"\\u00e9\\\"\"}"))
	f.Add([]byte("{\"a\":[1]}\n"))
	f.Add([]byte("{\"a\":1,\"a\":2}\n{}\n{\"c\":\"?\"}"))
	fuzzLoad(f, "f.ndjson")
}

// FuzzZippedNDJSON does the same with compressed ones.
func FuzzZippedNDJSON(f *testing.F) {
	f.Add([]byte(zipped(f, readings)))
	fuzzLoad(f, "f.ndjson.gz")
}

// fuzzLoad loads any bytes as a file of the given name.
func fuzzLoad(f *testing.F, name string) {
	path := filepath.Join(f.TempDir(), name)
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, spec := range []dataset.Spec{{}, {Label: "label"}, {Missing: dataset.SkipMissing}, {Missing: dataset.KeepMissing}, {Missing: dataset.KeepMissing, Scored: true}, {Piece: &dataset.Bytes{First: int64(len(content) / 3), End: int64(len(content) / 2)}}} {
			spec.Data = []string{path}
			d, err := dataset.LoadOne(spec)
			var typed *dataset.Error
			if err != nil && !errors.As(err, &typed) {
				t.Fatalf("untyped error %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "strconv") {
				t.Fatalf("an error of the library came through: %v", err)
			}
			if err != nil {
				continue
			}
			x, err := rows.Dense(d.Participants[0].Train)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range values(rows.InMemory(x)) {
				if len(row) != len(d.Columns) {
					t.Fatalf("a row of %d for %d columns", len(row), len(d.Columns))
				}
				for _, v := range row {
					if !(math.Abs(v) <= 1e60) && !(math.IsNaN(v) && spec.Missing == dataset.KeepMissing) {
						t.Fatalf("%v came through", v)
					}
				}
			}
		}
	})
}
