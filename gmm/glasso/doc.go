// Package glasso solves the graphical lasso
//
//	Λ = argmax ln|Λ| − Tr(ΛS) − λ‖Λ‖₁
//
// over positive definite Λ, with the elementwise norm, by proximal Newton
// steps in the manner of QUIC (Hsieh, Sustik, Dhillon and Ravikumar, JMLR 15,
// 2014): every iterate is positive definite, a previous solution is a start, and
// S may be singular.
//
// Invariants: a solution returned is positive definite, satisfies the optimality
// conditions to 1e-9 of the largest |S| (or, when S is so ill-conditioned that
// this is below rounding, to what rounding allows) and has exact zeros; anything
// else is an error. The same input gives the same bits.
//
// Start reading at [Problem.Solve]; newton.go is the solver of one connected
// block, descent.go the search direction, check.go what certifies a solution.
package glasso
