// Package cgau is a classifier that adapts to each member: layers of conditional gated
// activation units (Rieger et al. 2020, "Client adaptation improves federated learning with
// simulated non-IID clients", Eq. 1), with biases,
//
//	z = tanh(W_f x + b_f + v_f) · sigmoid(W_g x + b_g + v_g),
//
// of which the weights W and biases b are everybody's, and the conditions v = (v_f, v_g) each
// member's own: its column of the paper's V. A [Learner] trains both at once, by rounds of
// some steps at each member and a private sum of what these have changed of W and b, by
// rows (package average). With [Config.Plain] it is a network of rectified linear units
// without conditions, the paper's baseline.
//
// In the paper's simulation V is shared too: its column of member k, which nobody else's
// rows change, moves by n_k/n of what the member's steps have changed. Here it moves by all
// of that. [Config.ConditionRate] can take it back.
//
// # What others learn
//
// No condition is in a vector that leaves a member, nor is anything computed of conditions
// but what training makes of them: changes of W and b, whose gradients are those at the own
// conditions, and losses.
//
// Yet a sum of these tells their mean. A condition is added where the bias is, so has the same
// gradient, and a member's changes of the two are in proportion,
//
//	Δv_k = (ConditionRate/Rate) Δb_k,
//
// in every round. The sum gives all members Σ n_k Δb_k / n, so they know Σ n_k v_k / n, the
// mean of all conditions ([Model.MeanCondition]); a group of two, each other's. A single
// member's conditions are hidden as its changes are, by the sum: all others together can
// take their own from it.
//
// Invariant: members that are given the same totals hold the same bits of W and b, whatever
// GOMAXPROCS and the machine are. Start reading at [NewLearner].
package cgau
