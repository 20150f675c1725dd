// Package ggm learns a mixture of sparse Gaussian graphical models over a group, after Idé,
// Phan and Raymond (2024), sections 4.3 to 4.5. Means and precisions are shared; the weights
// of the components are each participant's own. So all members know the same patterns, and
// each knows which of them are usual for its own rows.
//
// A participant creates a [Learner] on its rows and passes it to collabdict.Train:
//
//	l, err := ggm.NewLearner(gmm.Matrix(rows), ggm.Config{Components: 3, Seed: 1})
//	if err != nil {
//		return err
//	}
//	if _, err := collabdict.Train(ctx, group, l, collabdict.Options{Rounds: 50, Tol: 1e-6}); err != nil {
//		return err
//	}
//	m := l.Model()
//	fmt.Println(m.Score(row)) // how unusual a row is
//	// An element of 0 means that two variables of component 0 do not depend on each other.
//	fmt.Println(mat.Formatted(m.Precision(0)))
//
// In each round, members sum the statistics of Eqs. (12) and (13); every member then solves a
// graphical lasso per component, Eqs. (14) to (16), with package glasso. [Config] can also
// choose the number of components and the penalty by held-out rows (Choices), allow missing
// cells (Missing), and protect the sums further (Blur, Diversity).
//
// The penalty of the paper is [Config].Rho. By default the regularisation is relative:
// [Config].Lambda is a penalty per row, which depends neither on the number of rows nor on
// units.
//
// # Invariants
//
// Data is never modified. The package uses no clock, file, socket or global random source.
// Members that receive the same totals compute the same parameters, to the bit.
//
// Start reading at [Learner] in learner.go (Algorithm 1). mstep.go has Eqs. (14) to (16),
// relative.go the relative regularisation, and start.go the start on which all members
// agree. [Algorithm] connects them to the program.
package ggm
