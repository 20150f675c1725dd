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
// In the paper's simulation V is shared too, and the column of member k moves by n_k/n of
// what its steps have changed. Here it moves by all of that. [Config.ConditionRate] can take
// it back. What others learn of conditions, of which none leaves a member, is told in package
// conditioning: their mean by rows, [Model.MeanCondition].
//
// Invariant: members that are given the same totals hold the same bits of W and b, whatever
// GOMAXPROCS and the machine are. Start reading at [NewLearner].
package cgau
