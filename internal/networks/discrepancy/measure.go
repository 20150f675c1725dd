package discrepancy

import (
	"fmt"
	"math"
)

// Latent returns the discrepancy of encoded rows z, row-major with dim latent variables, from
// the standard normal prior: the mean of the distances of order 1 over the variables (Page 2024,
// Algorithm 2). The rows are samples of the posterior, not its means.
//
// A small sample is far from any distribution, so a member with few rows would lose weight
// twice. If debias is set, expectedW1 is subtracted. The mean over samples from the prior is
// then 0 for any size, and single values may be negative. For rows far from the prior, the
// distance has hardly any such bias, so the result is too small by as much. It returns an error
// if there is no row, or if a value is not finite.
func Latent[T ~float32 | ~float64](z []T, dim int, debias bool) (float64, error) {
	if dim < 1 || len(z)%dim != 0 {
		panic("discrepancy: want whole rows of latent variables")
	}
	n := len(z) / dim
	if n == 0 {
		return 0, fmt.Errorf("discrepancy: want at least one encoded row, got none")
	}
	column, sum := make([]float64, n), 0.0
	for j := range dim {
		for i := range column {
			v := float64(z[i*dim+j])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, fmt.Errorf("discrepancy: want finite latent variables, got %g for variable %d of row %d; train with a smaller learning rate", v, j+1, i+1)
			}
			column[i] = v
		}
		sortNumbers(column)
		sum += firstOrder(column)
	}
	d := sum / float64(dim)
	if debias {
		d -= expectedW1(n)
	}
	return d, nil
}

// Labels returns the discrepancy of a member's labels from equal frequencies of all classes,
// given the member's rows per class: the Kullback-Leibler divergence in nats, from 0 to ln C.
// Ye et al. 2023 assume the distribution over all rows to be uniform.
func Labels(counts []int) (float64, error) {
	n := 0
	for c, rows := range counts {
		if rows < 0 {
			return 0, fmt.Errorf("discrepancy: want numbers of rows of at least 0, got %d of class %d of %d", rows, c+1, len(counts))
		}
		n += rows
	}
	if n == 0 {
		return 0, fmt.Errorf("discrepancy: want at least one row with a label, got none in %d classes", len(counts))
	}
	sum := 0.0
	for _, rows := range counts {
		if rows > 0 {
			p := float64(rows) / float64(n)
			sum += p * math.Log(p*float64(len(counts)))
		}
	}
	return math.Max(0, sum), nil
}
