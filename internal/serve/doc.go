// Package serve scores rows over HTTP by a trained model: one row, a batch or a stream at a time. It keeps the
// series of each source apart, tells events, and takes a new model without losing a request. Package
// scoring computes the scores.
//
// Start reading at [New] and [Server.Handler].
package serve
