// Package networks is what algorithms that train networks have in common as package
// algorithm has it: options, arrays in files, classes, and the rows that they read.
package networks
