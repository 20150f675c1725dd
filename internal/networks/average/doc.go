// Package average implements federated averaging (McMahan et al. 2017) without a server.
// Members train copies of the same parameters, and take the weighted mean of the changes from a
// private sum.
//
// No member learns another's change or weight. All members learn the mean and the total weight.
// They also learn how many members' largest weighted change of a matrix, and each other value,
// lies between which powers of two.
//
// # Private conditions
//
// A member can keep a part of a jointly trained model private: its column of the matrix V of
// conditional gated activation units. With biases, these units are (Eq. 1 of Rieger et al. 2020,
// "Client adaptation improves federated learning with simulated non-IID clients")
//
//	z = tanh(W_f x + b_f + v_f) · sigmoid(W_g x + b_g + v_g).
//
// The weights W and biases b are shared, and averaged. The conditions v = (v_f, v_g) of all such
// layers are a [Column].
//
// In the paper's simulation, V is shared too: column k, which only member k's rows change,
// moves by the member's share of its change. Here it moves by all of it.
//
// # What others learn of conditions
//
// No condition is in a vector that leaves a member. Only values that training computes from
// conditions leave: changes of W and b, whose gradients are taken at the member's conditions,
// and losses.
//
// Yet a sum of these reveals the mean of the conditions. A condition is added where the bias
// is, so it has the same gradient. If one rule of descent applies to both, starting afresh in
// every round, a member's changes of the two are proportional,
//
//	Δv_k = share · Δb_k,
//
// where share is the ratio of the two learning rates. The sum gives all members Σ p_k Δb_k with
// weights p_k, so they know Σ p_k v_k, the mean of all conditions ([SetMeanColumn]); in a group
// of two, each learns the other's. The sum hides a single member's conditions as it hides its
// changes: all others together can compute them.
//
// Start reading at [Mean.Round].
package average
