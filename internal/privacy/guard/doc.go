// Package guard applies a participant's rule of entropy ℓ-diversity. Before statistics of a
// mixture leave the participant, each component's part in them either rests on enough of its
// rows or is replaced.
//
// Totals over all components do not depend on the model (see running totals in package
// collabdict). So a value that was withheld from one component could be found by subtraction.
// For this reason the package never changes the sums over components: rows of a component that
// is left out count for the others, and if a draw replaces a part, another component takes the
// difference.
//
// Start reading at [Components.Statistics].
package guard
