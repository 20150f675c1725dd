// Package clusters runs the experiments again that FedGEM was published with (Ibrahim,
// Gebraeel and Xie, ICLR 2026): clusters of several participants' rows whose number
// nobody knows, beside k-FED, which is told it, and mixtures of all rows in one place.
//
// Start reading at [Study] and sets.go.
package clusters
