// Package adaptation repeats the experiments of Rieger et al. (2020, "Client adaptation
// improves federated learning with simulated non-IID clients"). Classifiers with conditional
// gated activation units are compared with a baseline of rectified linear units. Ten
// participants have rows that differ, and that are shuffled by degrees. The exclusive or of the
// paper's appendix follows.
//
// The package adds gated units without conditions, which show the effect of the gates alone,
// and a participant that joins after the others have trained.
//
// Start reading at [Study]; a trial is one deal of the rows.
package adaptation
