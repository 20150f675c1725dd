package frechet

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// statistics are the number of rows, the sum of each column, and the sums of the products of
// any two columns. They are additive over sets of rows. A vector has them in this order,
// products i ≤ j by columns.
type statistics []float64

// layout returns an order of the columns that puts equal bounds together, so that there are few
// blocks.
func layout(b columnstats.Bounds) (order []int, blocks []collabdict.Block) {
	order = make([]int, len(b.RMS))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.RMS[i], b.RMS[j]) })
	blocks = columnstats.AppendBlock(nil, 1, b.Rows)
	for _, i := range order {
		blocks = columnstats.AppendBlock(blocks, 1, b.Rows*b.RMS[i])
	}
	for at, i := range order {
		for _, j := range order[at:] {
			blocks = columnstats.AppendBlock(blocks, 1, b.Rows*b.RMS[i]*b.RMS[j])
		}
	}
	return order, blocks
}

func newStatistics(of collabdict.Rows, order []int) (statistics, error) {
	n, dim := of.Dims()
	sums := make([]float64, dim)
	products := make([]float64, dim*dim) // the upper triangle
	err := rows.Each(of, func(x *mat.Dense, _ int) error {
		size, _ := x.Dims()
		for i := range size {
			floats.Add(sums, x.RawRowView(i))
		}
		from := x.RawMatrix()
		kernels.Implementation{}.Dsyrk(blas.Upper, blas.Trans, dim, size, 1, from.Data, from.Stride, 1, products, dim)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := statistics{float64(n)}
	for _, i := range order {
		s = append(s, sums[i])
	}
	for at, i := range order {
		for _, j := range order[at:] {
			s = append(s, products[min(i, j)*dim+max(i, j)])
		}
	}
	return s, nil
}

// normal returns the distribution with the mean and the covariance matrix, divided by the
// number of rows, in the order of the layout. A distance does not depend on the order.
func (s statistics) normal(dim int) Normal {
	n, sums, products := s[0], s[1:1+dim], s[1+dim:]
	out := Normal{make([]float64, dim), mat.NewSymDense(dim, nil)}
	for i, v := range sums {
		out.Mean[i] = v / n
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			out.Covariance.SetSym(i, j, products[0]/n-float64(out.Mean[i]*out.Mean[j]))
			products = products[1:]
		}
	}
	return out
}
