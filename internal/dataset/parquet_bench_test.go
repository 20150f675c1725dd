package dataset

import (
	"os"
	"testing"
)

func BenchmarkParquet(b *testing.B) {
	path := os.Getenv("COLLABDICT_PARQUET")
	if path == "" {
		b.Skip("COLLABDICT_PARQUET names no file")
	}
	p, err := openParquet(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	features := make([]int, len(p.columns))
	for j := range features {
		features[j] = j
	}
	if _, err := p.read(features, nil); err != nil {
		b.Fatal(err)
	}
	r := p.reader
	const block = 256
	x := make([]float64, block*len(features))
	n := p.rows()
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i+block <= n; i += block {
			if err := r.numbers(x, i); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}
