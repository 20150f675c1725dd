package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/testkit"
)

// BenchmarkStream reads a file one block after the other.
func BenchmarkStream(b *testing.B) {
	benchmarkStream(b, testkit.OutsideUnpacked(b, "data", "covertype", "covertype.csv.gz"))
}

func benchmarkStream(b *testing.B, path string) {
	b.Helper()
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

// BenchmarkCSV reads 10 000 rows of 20 plain cells, one block after the other.
func BenchmarkCSV(b *testing.B) {
	var text strings.Builder
	for j := range 20 {
		fmt.Fprintf(&text, "%sc%d", []string{",", ""}[btoi(j == 0)], j)
	}
	text.WriteString("\n")
	for i := range 10_000 {
		for j := range 20 {
			fmt.Fprintf(&text, "%s%.4f", []string{",", ""}[btoi(j == 0)], math.Sin(float64(i*20+j)))
		}
		text.WriteString("\n")
	}
	folder(b, "a.csv", text.String())
	benchmarkStream(b, "a.csv")
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
