// Package partial works with rows of which some cells are missing. These are NaN.
//
// Start reading at [Conditional] and [Complete].
package partial
