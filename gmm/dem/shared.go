package dem

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// SharedRows fits a mixture of k components to n rows drawn from all participants. It is for
// simulations only, because no participant of a run can be asked for its rows.
func SharedRows(parts []*mat.Dense, n, k int, em gmm.EM, src rand.Source) (*gmm.Mixture, error) {
	total := 0
	for _, x := range parts {
		rows, _ := x.Dims()
		total += rows
	}
	rng := rand.New(src)
	_, dim := parts[0].Dims()
	shared := mat.NewDense(min(n, total), dim, nil)
	for j, at := range rng.Perm(total)[:min(n, total)] {
		for _, x := range parts {
			rows, _ := x.Dims()
			if at < rows {
				shared.SetRow(j, x.RawRowView(at))
				break
			}
			at -= rows
		}
	}
	fit, err := gmm.Fit(shared, k, em, rng)
	if err != nil {
		return nil, fmt.Errorf("fit to %d shared rows: %w", min(n, total), err)
	}
	return fit.Mixture, nil
}
