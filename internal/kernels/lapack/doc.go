// Package lapack has Cholesky factors and inverses made of the products of package
// blas: [Implementation] is gonum's LAPACK with Dpotrf, Dpotri, Dtrtri and Dlauum of
// its own.
//
// Invariant: results have the same bits on every machine. Matrices are halved, at
// multiples of leaf; what halves do to each other are operations of package blas. So
// are leaves of triangles, whose other half counts as zeros; leaves that are factored
// are chains of fused multiply-adds.
//
// Nothing is registered with gonum: that is for commands, by lapack64.Use. Start
// reading at factor.
package lapack
