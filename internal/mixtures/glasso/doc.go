// Package glasso solves the graphical lasso
//
//	Λ = argmax ln|Λ| − Tr(ΛS) − λ‖Λ‖₁
//
// over positive definite Λ, with the elementwise norm. Given the covariance matrix S of some
// variables, it finds a precision matrix with many elements of exactly 0. A 0 means that two
// variables do not depend on each other directly.
//
//	p := glasso.Problem{S: s, Penalty: 0.1}
//	r, err := p.Solve(nil) // or a previous solution as the start
//	if err != nil {
//		return err
//	}
//	fmt.Println(mat.Formatted(r.Precision)) // Λ
//	fmt.Println(r.Gap)                      // how far the objective may be below its maximum
//
// # Method
//
// It takes proximal Newton steps in the manner of QUIC (Hsieh, Sustik, Dhillon and Ravikumar,
// JMLR 15, 2014): every iterate is positive definite, and S may be singular. If strongly
// correlated variables make Newton's direction too hard to find, an interior point method for
// the dual problem solves blocks of at most 96 variables. Its work hardly depends on the
// condition of S.
//
// # Invariants
//
// A solution without an error is positive definite and has exact zeros. It satisfies the
// optimality conditions to 1e-9 of the largest |S|, or to what rounding allows if S is too
// ill-conditioned for that. Its duality gap is at most 1e-5 per variable, because a small
// residual means little when the penalty is hardly larger. With [Problem.Gap], only that gap is
// promised.
//
// The result that comes with a [*StalledError] is positive definite and no worse than the
// start. Both kinds of results have a Gap. The same input gives the same bits, whatever
// GOMAXPROCS is.
//
// Start reading at [Problem.Solve]. The files divide the work:
//
//   - newton.go solves one connected block.
//   - free.go has the coordinates that may move, and products over them.
//   - descent.go and conjugate.go find the search direction.
//   - interior.go is the dual solver, and polish.go makes its solution accurate.
//   - check.go has the certificate of a solution.
package glasso
