// Package adaptation runs the experiments of Rieger et al. (2020, "Client adaptation improves
// federated learning with simulated non-IID clients") again: classifiers with conditional
// gated activation units beside their baseline of rectified linear units, for ten
// participants whose rows are unlike, and shuffled by degrees; and the exclusive or of its
// appendix.
//
// Beyond the paper there are gated units without conditions, which tell what the gates alone
// do; and a participant that comes when the others have trained.
//
// Start reading at [Study]; a trial is one deal of the rows.
package adaptation
