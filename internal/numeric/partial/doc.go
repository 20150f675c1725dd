// Package partial works with rows that have missing cells, which are NaN.
//
// Start reading at [Conditional] and [Complete].
package partial
