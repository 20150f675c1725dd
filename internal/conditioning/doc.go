// Package conditioning keeps to each member what is its own of a model that all train
// together: its column of the matrix V of conditional gated activation units (Rieger et al.
// 2020, "Client adaptation improves federated learning with simulated non-IID clients",
// Eq. 1), with biases,
//
//	z = tanh(W_f x + b_f + v_f) · sigmoid(W_g x + b_g + v_g).
//
// The weights W and biases b are everybody's, averaged by rounds of package average; the
// conditions v = (v_f, v_g) of all such layers are a [Column].
//
// In the paper's simulation V is shared too: its column of member k, which nobody else's
// rows change, moves by the member's share of what its steps have changed. Here it moves by
// all of that.
//
// # What others learn
//
// No condition is in a vector that leaves a member, nor is anything computed of conditions
// but what training makes of them: changes of W and b, whose gradients are those at the own
// conditions, and losses.
//
// Yet a sum of these tells their mean. A condition is added where the bias is, so has the same
// gradient, and where one rule of descent is for both, from nothing in every round, a
// member's changes of the two are in proportion,
//
//	Δv_k = share · Δb_k,
//
// where share is the quotient of the two rates of learning. The sum gives all members
// Σ p_k Δb_k, with weights p_k, so they know Σ p_k v_k, the mean of all conditions
// ([SetMean]); a group of two, each other's. A single member's conditions are hidden as its
// changes are, by the sum: all others together can take their own from it.
package conditioning
