// Package release draws the means of a mixture from their posterior, and says what such a draw
// tells of a single row (Idé et al. 2024, section 5.3).
//
// Invariant: what is drawn depends on the rows by the means alone, besides what is taken as
// given: the precisions, and the rows of each component. Start reading at [Posterior].
package release
