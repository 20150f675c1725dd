package dem

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// SharedRows returns n rows drawn from those of all participants. It is for simulations only,
// because no participant of a run can be asked for its rows.
func SharedRows(parts []*mat.Dense, n int, src rand.Source) *mat.Dense {
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
	return shared
}
