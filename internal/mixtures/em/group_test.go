package em

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// train runs one learner per data set in lock step, and returns the learners and the objectives
// of the rounds.
func train(t testing.TB, config Config, rounds int, data ...*mat.Dense) ([]*Learner, []float64) {
	t.Helper()
	learners, traces := make([]*Learner, len(data)), make([][]float64, len(data))
	grouptest.Together(t, len(data), func(g collabdict.Group, s int) (err error) {
		if learners[s], err = NewLearner(gmm.Matrix(data[s]), config); err != nil {
			return err
		}
		_, err = collabdict.Train(t.Context(), g, learners[s], collabdict.Options{
			Rounds:  rounds,
			OnRound: func(r collabdict.Round) { traces[s] = append(traces[s], r.Objective) },
		})
		return err
	})
	for s := range traces {
		if !testkit.SameBits(traces[s], traces[0]) {
			t.Fatalf("participants 0 and %d saw other objectives", s)
		}
	}
	return learners, traces[0]
}
