package ggm

import "github.com/collabdict/collabdict/gmm"

// EachLeftOut calls f with the surprise of each of some own rows at the model as it would be
// without that row: see [gmm.Mixture.EachLeftOut]. The regularisation is the relative one, and
// a round has been completed.
func (l *Learner) EachLeftOut(rows gmm.Rows, f func(from int, scores []float64)) error {
	return l.model.EachLeftOut(rows, gmm.FittedTo{Counts: l.held, Own: l.rows.N, Mean: l.prior.lambda0, Covariance: priorRows}, f)
}
