package networks

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// Partial fills in missing cells (NaN) of rows: first from the decoded row of latent variables
// 0, then from encoding and decoding the result once.
type Partial struct {
	collabdict.Rows
	by      algorithm.Coder
	typical []float64 // decoded row of latent variables 0

	// The following fields describe the rows read last.
	first   int
	missing [][]bool // nil for a complete row
}

// Completed returns rows whose missing cells a model fills in. Only one goroutine may read them
// at a time.
func Completed(by algorithm.Coder, rows collabdict.Rows) *Partial {
	return &Partial{Rows: rows, by: by}
}

// ReadRows fills x with rows, starting with row from.
func (p *Partial) ReadRows(x []float64, from int) error {
	if err := p.Rows.ReadRows(x, from); err != nil {
		return err
	}
	_, dim := p.Dims()
	p.first, p.missing = from, make([][]bool, len(x)/dim)
	var at []int
	for i := range p.missing {
		row := x[i*dim : (i+1)*dim]
		if !partial.Any(row) {
			continue
		}
		p.missing[i] = make([]bool, dim)
		for j, v := range row {
			p.missing[i][j] = math.IsNaN(v)
		}
		at = append(at, i)
	}
	if at == nil {
		return nil
	}
	if p.typical == nil {
		row, err := p.by.Decode(mat.NewDense(1, p.by.Latent(), nil))
		if err != nil {
			return err
		}
		p.typical = row.RawRowView(0)
	}
	z := mat.NewDense(len(at), dim, nil)
	for a, i := range at {
		row := z.RawRowView(a)
		copy(row, x[i*dim:])
		p.fill(row, i, p.typical)
	}
	codes, err := p.by.Encode(z)
	if err != nil {
		return err
	}
	decoded, err := p.by.Decode(codes)
	if err != nil {
		return err
	}
	for a, i := range at {
		p.fill(x[i*dim:(i+1)*dim], i, decoded.RawRowView(a))
	}
	return nil
}

// fill sets the missing values of row i of the rows read last.
func (p *Partial) fill(row []float64, i int, with []float64) {
	for j, missing := range p.missing[i] {
		if missing {
			row[j] = with[j]
		}
	}
}

// Missing returns the missing cells of n rows, starting with row from, which must be among
// those read last. A complete row has nil.
func (p *Partial) Missing(from, n int) [][]bool {
	return p.missing[from-p.first : from-p.first+n]
}

// There returns the number of cells of a row that are present.
func There(missing []bool) (n int) {
	for _, m := range missing {
		if !m {
			n++
		}
	}
	return n
}

// Whole returns rows whose missing cells a model has filled in.
func Whole(by algorithm.Coder, z *mat.Dense) (*mat.Dense, error) {
	n, dim := z.Dims()
	out := mat.NewDense(n, dim, nil)
	return out, Completed(by, Rows(z)).ReadRows(out.RawMatrix().Data, 0)
}
