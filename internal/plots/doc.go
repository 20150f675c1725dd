// Package plots draws how a simulated run went: the objective by round, how the disagreement
// falls in a sum, what members send, and which members were in the sums when. It also has
// charts, points, images, graphs, tables, histograms and scores over time for other packages. The
// same input gives the same bytes of SVG.
//
// Start reading at [Write]; [Chart], [Scatter], [Sheet], [Graphs], [Heat], [Histogram] and [Scores]
// are for other packages.
package plots
