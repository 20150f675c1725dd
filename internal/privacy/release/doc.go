// Package release prepares a mixture for publication: it draws the means from their posterior,
// and states how much such a draw can reveal about a single row. It follows Idé, Phan and Raymond
// (2024), section 6.1.
//
// An algorithm that implements [Releaser] returns the posterior of a model that it has learned:
//
//	p, err := releaser.Posterior(model, nil) // or the variances that scale the model's prior
//	if err != nil {
//		return err
//	}
//	if err := p.Check(); err != nil {
//		return err
//	}
//	loss := p.Loss(2)                          // for rows that are at most 2 apart
//	fmt.Println(loss.Precisions.Epsilon(1e-5)) // ε at δ = 1e-5
//	public := p.Draw(src)                      // src must be secret
//	fmt.Println(mat.Formatted(public.Means()))
//
// The example of the package makes a [Posterior] from a mixture, without an algorithm.
//
// Invariant: a draw depends on the rows only through the means. The precisions and the number
// of rows of each component are taken as given, and are not covered by the loss.
//
// Start reading at [Posterior].
package release
