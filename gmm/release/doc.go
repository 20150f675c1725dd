// Package release prepares a mixture for publication: it draws the means from their posterior,
// and states how much such a draw can reveal about a single row. It follows Idé, Phan and Raymond
// (2024), section 5.3.
//
//	p := &release.Posterior{Mixture: m, Rows: m.ComponentRows(), Lambda0: 1, Bound: bound}
//	if err := p.Check(); err != nil {
//		return err
//	}
//	loss := p.Loss(2)             // for rows that are at most 2 apart
//	loss.Precisions.Epsilon(1e-5) // ε at δ = 1e-5
//	public := p.Draw(src)         // src must be secret
//
// Invariant: a draw depends on the rows only through the means. The precisions and the number
// of rows of each component are taken as given, and are not covered by the loss.
//
// Start reading at [Posterior].
package release
