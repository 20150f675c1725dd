package dataset_test

import (
	"testing"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/outside"
)

// BenchmarkStream reads a file one block after the other.
func BenchmarkStream(b *testing.B) {
	path := outside.Unpacked(b, "data", "covertype", "covertype.csv.gz")
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
