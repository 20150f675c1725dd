// Package privacy measures what a participant's statistics could give away:
// the entropy ℓ-diversity of Idé et al. 2024, section 6.2. And it says how much noise
// makes statistics differentially private ([GaussianRatio]), and adds it ([Noisy]).
// Settings that several algorithms have are here, too: those of noise ([Budget]), and of
// how few rows a component may be of that is shown ([MinRowsOption]).
//
// Invariant: the measures are computed in one pass over the rows and leave the
// participant only if it publishes them. Start reading at [Diversity].
package privacy
