// Package multitask is the multi-task variational auto-encoder of Idé, Phan and Raymond
// (2024), section 5. Participants share the decoder p(x|z, θ), which knows all patterns. Each
// has its own encoder q(z|x, φ^s), which knows the patterns of its own rows. Equation numbers
// are those of that paper.
//
//	l, err := multitask.NewLearner(gmm.Matrix(rows), multitask.Config{Latent: 8, Hidden: []int{64}, LocalSteps: 20}, seed)
//	if err != nil {
//		return err
//	}
//	if _, err := collabdict.Train(ctx, group, l, collabdict.Options{Rounds: 150}); err != nil {
//		return err
//	}
//	m := multitask.Trained{Model: l.Model()}
//	why, err := m.Explain(rows)
//	if err != nil {
//		return err
//	}
//	fmt.Println(mat.Formatted(why.Parts)) // how much each variable contributes to a row's score
//
// # Equations
//
// A [Model] is a pair of networks. The encoder turns a row x into a normal distribution of z
// with mean m and standard deviations h, Eq. (27). The decoder turns z into one of x with
// mean μ and standard deviations σ, Eq. (21). Training maximises the evidence lower bound,
// Eq. (30), whose first line has the wrong sign before ‖m‖² in the paper:
//
//	L^s = Σ_n { ½ Σ_j (ln h_j² + 1 − h_j² − m_j²)
//	            − ⟨ ½ Σ_i (ln 2π + ln σ_i² + (x_i − μ_i)²/σ_i²) ⟩_v }
//
// with z = m + h∘v, v standard normal, and one draw per row and step.
//
// A [Learner] first makes encoder steps in each round, Eq. (33), which stay at the
// participant. Then it adds its part to one sum for the decoder: a gradient, Eqs. (34) to
// (36), or the change in several steps of its own. [Health] reports when the encoder no
// longer distinguishes rows. A [Scorer] computes anomaly scores, Eq. (39), log-likelihoods,
// and the contribution of each variable.
//
// # Invariants
//
// Members that receive the same totals have the same bits of the decoder, whatever GOMAXPROCS
// and the machine are. Others learn about a participant's rows only through sums: of the
// decoder's changes, the number of rows, and the lower bound.
//
// Start reading at [NewLearner].
package multitask
