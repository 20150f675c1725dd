// Package em learns a Gaussian mixture over a group by expectation maximisation (EM). In each
// round, members sum the statistics of their rows, and every member makes the same step on the
// total, so that apart from rounding the result is that of EM on all rows in one place.
//
// A participant creates a [Learner] on its rows and passes it to collabdict.Train:
//
//	l, err := em.NewLearner(gmm.Matrix(rows), em.Config{Components: 3, Seed: 1})
//	if err != nil {
//		return err
//	}
//	if _, err := collabdict.Train(ctx, group, l, collabdict.Options{Rounds: 50, Tol: 1e-6}); err != nil {
//		return err
//	}
//	m := l.Model()
//	fmt.Println(m.Score(row)) // how unusual a row is
//
// There are two forms of the mixture. That of Idé, Phan and Raymond (2024), sections 4.3 to 4.5,
// has sparse precision matrices: members sum the statistics of Eqs. (12) and (13), and every member
// then solves a graphical lasso for each component, Eqs. (14) to (16), with package glasso. Means
// and precisions are shared; the weights of the components are each participant's own. So all
// members know the same patterns, and each knows which of them are usual for its own rows. The
// penalty of the paper is [Config].Rho. By default the regularisation is relative: [Config].Lambda
// is a penalty per row, which depends neither on the number of rows nor on units. Cells may be
// missing, and held-out rows can choose among candidates that are trained side by side.
//
// The other form, [Plain], is maximum likelihood without a prior, in which weights are shared, too.
// It needs a start that is the same at all members: a mixture, or centres such as those of
// [Spread].
//
// [Config] can protect the sums further: Blur adds noise against the comparison of two totals, and
// Diversity keeps statistics of few rows from being sent.
//
// # Invariants
//
// Data is never modified. The package uses no clock, file, socket or global random source.
// Members that receive the same totals compute the same parameters, to the bit.
//
// Start reading at [Learner] in learner.go (Algorithm 1), and at form in candidate.go. mstep.go has
// Eqs. (14) to (16), relative.go the relative regularisation, start.go the start from clusterings,
// and centres.go that from centres; plain.go has maximum likelihood.
package em
