// Package guard keeps a participant's rule of entropy ℓ-diversity: before statistics of a
// mixture leave it, every component's part in them rests on enough of its rows, or is
// replaced.
//
// Totals of all components together do not depend on the model (running totals), so what
// is kept back from one of them could be had by subtraction. Whatever is done here leaves
// the sums over the components as they are: rows of a component that is left out count for
// the others, and where a draw stands for a part, what it differs by is in another one.
//
// Start reading at [Components.Statistics].
package guard
