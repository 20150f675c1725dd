// Package machines sets the two models of Idé, Phan and Raymond (2024) beside each other:
// the multi-task variational auto-encoder of section 5 and the mixture of sparse Gaussian
// graphical models of section 4. Both learn from the same rows of servers and of engines,
// each participant alone, all together by sums, and of all rows in one place, and find
// the same anomalies. The paper has no such figures.
//
// Sums are exact, of participants in one process; what is learned over the protocol is
// the same.
//
// Start reading at [Study]; what a model comes to is an outcome.
package machines
