// Package glasso solves the graphical lasso
//
//	Λ = argmax ln|Λ| − Tr(ΛS) − λ‖Λ‖₁
//
// over positive definite Λ, with the elementwise norm, by proximal Newton
// steps in the manner of QUIC (Hsieh, Sustik, Dhillon and Ravikumar, JMLR 15,
// 2014): every iterate is positive definite, a previous solution is a start, and
// S may be singular. Where strongly correlated variables make Newton's direction
// too hard to find, a block of at most 96 variables is solved by an interior point
// method for the dual problem, whose work hardly depends on how ill-conditioned S
// is.
//
// Invariants: a solution returned without an error is positive definite, satisfies
// the optimality conditions to 1e-9 of the largest |S| (or, when S is so
// ill-conditioned that this is below rounding, to what rounding allows), has a duality
// gap of at most 1e-5 a variable, as a residual says little where the penalty is hardly
// larger, and exact zeros. What comes with a [*StalledError] is positive definite and no
// worse than the start. With both comes the gap, which bounds what is missing. The same
// input gives the same bits, whatever GOMAXPROCS is.
//
// Start reading at [Problem.Solve]; newton.go is the solver of one connected
// block, free.go the coordinates that may move and products over them, descent.go
// and conjugate.go the search direction, interior.go the dual solver, polish.go what
// makes its solution accurate, check.go what certifies a solution.
package glasso
