package glasso

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
)

// readMatrix reads a square matrix from gzipped CSV without a header.
func readMatrix(tb testing.TB, name string) *mat.SymDense {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var rows [][]float64
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row []float64
		for _, field := range strings.Split(lines.Text(), ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				tb.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return sym(rows)
}

// BenchmarkOracles solves covariance matrices whose solutions are known.
func BenchmarkOracles(b *testing.B) {
	dir := testkit.OutsidePath(b, "oracles", "glasso-bench")
	for _, size := range []int{50, 200, 400} {
		s := readMatrix(b, filepath.Join(dir, fmt.Sprintf("p%d.csv.gz", size)))
		for _, rho := range []float64{0.05, 0.1, 0.2} {
			b.Run(fmt.Sprintf("p%d/rho%g", size, rho), func(b *testing.B) {
				b.ReportAllocs()
				steps := 0
				for b.Loop() {
					r, err := Problem{S: s, Penalty: rho}.Solve(nil)
					if err != nil {
						b.Fatal(err)
					}
					steps = r.Steps
				}
				b.ReportMetric(float64(steps), "steps")
			})
		}
	}
}
