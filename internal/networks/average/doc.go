// Package average implements federated averaging (McMahan et al. 2017) without a server.
// Members train copies of the same parameters, and take the weighted mean of the changes from a
// private sum.
//
// No member learns another's change or weight. All members learn the mean and the total weight.
// They also learn how many members' largest weighted change of a matrix, and each other value,
// lies between which powers of two.
//
// Start reading at [Mean.Round].
package average
