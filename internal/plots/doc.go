// Package plots draws how a simulated run went: the objective by round, how the
// disagreement falls in a sum, what members send, and who was in the sums when. It has
// charts, points, images, graphs, tables and histograms for others, too. The same gives the
// same bytes of SVG.
//
// Start reading at [Write]; [Chart], [Scatter], [Sheet], [Graphs], [Heat] and [Histogram] are
// for others.
package plots
