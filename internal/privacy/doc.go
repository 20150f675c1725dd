// Package privacy measures and limits what the statistics of a participant reveal about its
// rows.
//
// It has three tools:
//
//   - [Diversity] measures how many rows the statistics of a component blend: the entropy
//     ℓ-diversity of Idé, Phan and Raymond (2024), section 6.2. A [Rule] says what to do if
//     they blend too few.
//   - [Budget] holds the settings of differential privacy. An [Account] divides the loss that they
//     allow among mechanisms, scales their noise, and counts what is spent. [Noisy] and [Discrete]
//     add the noise, which follows from a [Key].
//   - [Blur] adds a little noise to totals, so that the difference of two of them does not
//     show a single row.
//
// For instance, if one row changes a sum by at most 10, this much noise makes the sum
// (1, 1e-5)-differentially private:
//
//	sd := privacy.Allowed(1, 1e-5).Deviation(10)
//	sum = privacy.Noisy(sum, sd, src) // src must be secret
//
// The options that several algorithms share are in this package, too: those of a [Budget], of
// a [Rule], of a [Blur] and of the smallest number of rows of a shown component
// ([MinRowsOption]).
//
// Invariant: measures are computed in one pass over the rows. They leave the participant only
// if it publishes them.
//
// Start reading at [Diversity] and [Budget].
package privacy
