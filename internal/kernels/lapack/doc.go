// Package lapack has Cholesky factors and inverses, and eigenvectors of symmetric matrices, built on
// the products of package blas. [Implementation] has Dpotrf, Dpotri, Dpotrs and Dtrtri with gonum's
// signatures; [Cholesky] wraps their usual uses.
//
// Invariant: results have the same bits on every machine. Matrices are halved at multiples of
// leaf, and operations between halves use package blas. Leaves of triangles use it too, with
// zeros in the other half. Leaves that are factored are chains of fused multiply-adds.
//
// Models call these routines directly and register nothing with gonum, because that choice
// belongs to the author of a program. Start reading at factor.
package lapack
