// Rows writes a Parquet file of synthetic rows, for measurements:
//
//	go run ./internal/data/dataset/testdata/rows -rows 10000000 -codec snappy -o rows.parquet
//
// The columns x01, x02 and so on are doubles in the PLAIN encoding. Rows come from a few
// patterns, each with its own mean and common factor.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

var codecs = map[string]compress.Codec{
	"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "zstd": &parquet.Zstd, "gzip": &parquet.Gzip,
}

func main() {
	rows := flag.Int("rows", 1e6, "number of rows")
	columns := flag.Int("columns", 38, "number of columns, at most 99")
	group := flag.Int("group", 1e6, "rows of a row group")
	page := flag.Int("page", 1<<20, "bytes of a page, before compression")
	patterns := flag.Int("patterns", 10, "number of patterns")
	codec := flag.String("codec", "none", "none, snappy, zstd or gzip")
	nullable := flag.Bool("nullable", false, "declare columns nullable, as pandas does; no cell is null")
	seed := flag.Uint64("seed", 1, "seed of the rows")
	out := flag.String("o", "rows.parquet", "file to write")
	flag.Parse()
	if codecs[*codec] == nil {
		fmt.Fprintf(os.Stderr, "rows: want a codec none, snappy, zstd or gzip, got %q\n", *codec)
		os.Exit(2)
	}
	fields := parquet.Group{}
	for j := range *columns {
		node := parquet.Leaf(parquet.DoubleType)
		if *nullable {
			node = parquet.Optional(node)
		}
		fields[fmt.Sprintf("x%02d", j+1)] = node
	}
	s := newSource(*seed, *patterns, *columns)
	if err := write(*out, s, *rows, *group, *nullable,
		parquet.NewSchema("rows", fields), parquet.Compression(codecs[*codec]),
		parquet.PageBufferSize(*page), parquet.DataPageStatistics(false),
	); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

// source draws rows.
type source struct {
	random          *rand.Rand
	means, loadings [][]float64
}

func newSource(seed uint64, patterns, columns int) *source {
	s := &source{random: rand.New(rand.NewPCG(seed, 0))}
	for range patterns {
		mean, loading := make([]float64, columns), make([]float64, columns)
		for j := range mean {
			mean[j], loading[j] = 3*s.random.NormFloat64(), s.random.NormFloat64()
		}
		s.means, s.loadings = append(s.means, mean), append(s.loadings, loading)
	}
	return s
}

// draw fills the columns.
func (s *source) draw(columns [][]parquet.Value, level int) {
	for i := range columns[0] {
		k := s.random.IntN(len(s.means))
		factor := s.random.NormFloat64()
		for j := range columns {
			v := s.means[k][j] + s.loadings[k][j]*factor + s.random.NormFloat64()
			columns[j][i] = parquet.DoubleValue(v).Level(0, level, j)
		}
	}
}

func write(path string, s *source, rows, group int, nullable bool, options ...parquet.WriterOption) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buffered := bufio.NewWriterSize(f, 1<<20)
	w := parquet.NewWriter(buffered, options...)
	const block = 10000
	columns, level := make([][]parquet.Value, len(s.means[0])), 0
	if nullable {
		level = 1
	}
	for j := range columns {
		columns[j] = make([]parquet.Value, block)
	}
	inGroup := 0
	for left := rows; left > 0; {
		n := min(left, block, group-inGroup)
		for j := range columns {
			columns[j] = columns[j][:n]
		}
		s.draw(columns, level)
		for j, c := range w.ColumnWriters() {
			if _, err := c.WriteRowValues(columns[j]); err != nil {
				return err
			}
		}
		left, inGroup = left-n, inGroup+n
		if inGroup == group || left == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
			inGroup = 0
		}
		for j := range columns {
			columns[j] = columns[j][:block]
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return f.Close()
}
