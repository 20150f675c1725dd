// Package blas is for the vector and matrix kernels of the hot loops of the
// models, where they can be made faster than those of gonum. It holds no code
// yet: the models call gonum.
//
// A kernel added here is to sum in an order that does not depend on the machine
// or on GOMAXPROCS, so that members compute the same bits.
package blas
