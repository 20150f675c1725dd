// Package networks holds what algorithms that train networks share to implement package
// algorithm: options, arrays in files, classes, and the rows that they read.
//
// Start reading at [Arrays] and [Found].
package networks
