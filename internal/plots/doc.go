// Package plots draws how a simulated run went: the objective by round, how the
// disagreement falls in a sum, what members send, and who was in the sums when. The
// same run gives the same bytes of SVG.
//
// Start reading at [Write].
package plots
