// Package gmm provides Gaussian mixtures. A mixture describes the patterns in some rows, and
// a row that fits none of them gets a high anomaly score.
//
// [Fit] finds a [Mixture] of the rows of one participant by maximum likelihood (EM). The
// packages below this one learn mixtures together with other participants; their results
// are the same type. This example fits a mixture and looks at a row:
//
//	fit, err := gmm.Fit(rows, 2, gmm.EM{}, rand.NewPCG(1, 2)) // 2 components
//	if err != nil {
//		return err
//	}
//	row := []float64{3, 5}
//	fmt.Println(fit.Mixture.Score(row)) // how unusual the row is
//	why, err := fit.Mixture.Explain(mat.NewDense(1, 2, row))
//	if err != nil {
//		return err
//	}
//	fmt.Println(why.Parts.RawRowView(0)) // how much each variable contributes to that
//
// Rows are a *mat.Dense with one row per sample. If they do not fit into memory, use a source
// of [Rows], which is read block by block; [Matrix] turns a matrix into such a source.
// Missing cells are NaN: scores and explanations then use the cells present.
//
// # Equations
//
// With weights π_k, means μ_k and precisions Λ_k, the density is
//
//	p(x) = Σ_k π_k N(x|μ_k, Λ_k⁻¹)
//
// [Mixture.EachScores] scores rows by −ln p(x), and [Mixture.Score] by Eqs. (19) and (20) of
// Idé, Phan and Raymond (2024).
//
// # Invariants
//
// A [Mixture] never changes, and data is never modified. The package uses no clock, file,
// socket or global random source. Sums over rows run in a fixed order on fixed pieces, so
// results have the same bits for any GOMAXPROCS.
//
// Start reading at [Fit] and [Mixture]. model.go connects a mixture to the program and to
// files; internal/mixtures/density evaluates rows, by the passes of internal/mixtures/passes and
// the inner loops of internal/kernels/mixture.
package gmm
