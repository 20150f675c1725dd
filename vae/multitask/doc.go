// Package multitask is the multi-task variational auto-encoder of Idé, Phan and Raymond
// 2024, section 5: participants share the decoder p(x|z, θ), the patterns that there are,
// and each has an encoder q(z|x, φ^s) of its own, which of them are at home here. Equation
// numbers are those of that paper.
//
// A [Model] is a pair of networks. Of a row x, the encoder makes a normal distribution of
// z with mean m and standard deviations h, Eq. (27), and of z the decoder makes one of x
// with mean μ and standard deviations σ, Eq. (21). What is maximised is the evidence lower
// bound, Eq. (30), whose first line has the wrong sign before ‖m‖² in the paper:
//
//	L^s = Σ_n { ½ Σ_j (ln h_j² + 1 − h_j² − m_j²)
//	            − ⟨ ½ Σ_i (ln 2π + ln σ_i² + (x_i − μ_i)²/σ_i²) ⟩_v }
//
// with z = m + h∘v, v standard normal, one draw a row and step. A [Learner] is a
// collabdict.Learner: in each round it makes encoder steps, Eq. (33), which are nobody
// else's concern, and then brings to one sum its part of what changes the decoder: a
// gradient, Eqs. (34) to (36), or what several steps of its own have changed. [Health]
// tells when the encoder has stopped telling rows apart. A [Scorer] gives anomaly scores,
// Eq. (39), log-likelihoods, and what each variable adds.
//
// Invariant: members that are given the same totals hold the same bits of the decoder,
// whatever GOMAXPROCS and the machine are. What others learn of a participant's rows is in
// the sums alone: the decoder's part, the number of rows, and the sum of the lower bound.
//
// Start reading at [NewLearner].
package multitask
