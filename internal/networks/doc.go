// Package networks helps algorithms that train networks to implement package algorithm. It has
// their common options, arrays in files, classes, and the rows that they read.
//
// Start reading at [Arrays] and [Found].
package networks
