// Package average is federated averaging (McMahan et al. 2017) without a server: members
// train copies of the parameters that all of them hold, and take the mean of what that has
// changed, by weight, from a private sum.
//
// Nobody learns what another member has changed, nor its weight. What all learn is the
// mean, the weight of all together, and of how many members the largest weighted change of a
// matrix, and each of the other values, is between which powers of two.
//
// Start reading at [Mean.Round].
package average
