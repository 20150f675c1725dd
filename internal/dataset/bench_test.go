package dataset_test

import (
	"os"
	"testing"

	"github.com/collabdict/collabdict/internal/dataset"
)

// BenchmarkStream reads a file of yours a block after the other, as in
//
//	COLLABDICT_DATA=rows.parquet go test -run - -bench Stream -cpu 1
func BenchmarkStream(b *testing.B) {
	path := os.Getenv("COLLABDICT_DATA")
	if path == "" {
		b.Skip("COLLABDICT_DATA names no file")
	}
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{path}, Memory: 1})
	if err != nil {
		b.Fatal(err)
	}
	rows := d.Participants[0].Train
	n, m := rows.Dims()
	x := make([]float64, 256*m)
	b.ReportAllocs()
	for b.Loop() {
		for from := 0; from < n; from += 256 {
			if err := rows.ReadRows(x[:min(256, n-from)*m], from); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}
