// Package clusters repeats the experiments of the paper on FedGEM (Ibrahim, Gebraeel and Xie,
// ICLR 2026). It clusters several participants' rows, with an unknown number of clusters. The
// comparisons are k-FED, which is given the number, and mixtures of all rows in one place.
//
// Start reading at [Study] and sets.go.
package clusters
