// Package machines compares the two models of Idé, Phan and Raymond (2024): the multi-task
// variational auto-encoder of section 5, and the mixture of sparse Gaussian graphical models of
// section 4. Both learn from the same rows of servers and of engines and detect the same
// anomalies. Participants learn alone, together by sums, or from all rows in one place. The
// paper has no such figures.
//
// Sums are exact, between participants in one process; the protocol gives the same models.
//
// Start reading at [Study]; an outcome is the result of a model.
package machines
