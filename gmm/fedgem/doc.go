// Package fedgem clusters the rows of all participants when the number of
// clusters is not known (FedGEM, ICLR 2026). Each participant publishes the
// centres of its isotropic mixture with a radius of uncertainty; centres whose
// balls meet are one cluster, and every member computes the same merge.
package fedgem
