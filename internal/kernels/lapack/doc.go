// Package lapack has Cholesky factors and inverses made of the products of package
// blas: [Implementation] has Dpotrf, Dpotri, Dpotrs, Dtrtri and Dlauum as gonum declares
// them, and [Cholesky] what is mostly wanted of them.
//
// Invariant: results have the same bits on every machine. Matrices are halved, at
// multiples of leaf; what halves do to each other are operations of package blas. So
// are leaves of triangles, whose other half counts as zeros; leaves that are factored
// are chains of fused multiply-adds.
//
// Models call these routines themselves: what is registered with gonum belongs to
// whoever writes the program. Start reading at factor.
package lapack
