package em

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A graphical lasso that stops after a single step turns the M-step into a generalised one: the
// log posterior must still not fall, and no round may fail.
func TestStalledGraphicalLasso(t *testing.T) {
	x := testkit.Patterns(200, 8, 3, 4)
	for j := range 8 {
		x.Set(7, j, 1e3*math.Cos(float64(3*j))) // an outlier row
	}
	l, err := NewLearner(gmm.Matrix(x), Config{Components: 3, Rho: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	p := l.live[0].form.(prior)
	p.steps = 1
	l.live[0].form = p
	stalled, last := 0, math.Inf(-1)
	for round := range 30 {
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		total := summand.Values
		count := stalls(l, total[1:])
		stalled += count
		objective, err := l.Optimize(total, true)
		if err != nil {
			t.Fatalf("round %d: %v", round+1, err)
		}
		if e := l.Stalled(); (e != nil) != (count > 0) || e != nil && !(e.Gap > 0) {
			t.Errorf("round %d: %d components stalled, but the learner reports %v", round+1, count, e)
		}
		if objective < last-1e-9*(1+math.Abs(last)) {
			t.Fatalf("objective falls from %.12g to %.12g in round %d", last, objective, round+1)
		}
		last = objective
	}
	if stalled == 0 {
		t.Error("no graphical lasso stalled: the test tests nothing")
	}
}

// stalls returns the number of components whose graphical lasso does not converge within the
// learner's steps, given the statistics in a total.
func stalls(l *Learner, total []float64) (count int) {
	k, dim := l.Model().Components(), l.Model().Dim()
	p := l.live[0].form.(prior)
	s := passes.Unpack(total, k, dim, true)
	for c := range k {
		if s.N[c] < minRows {
			continue
		}
		first := s.First[c*dim : (c+1)*dim]
		mean := make([]float64, dim)
		floats.ScaleTo(mean, 1/(p.lambda0+s.N[c]), first)
		problem := p.lasso(s.N[c], scatter(first, s.Second[c*dim*dim:(c+1)*dim*dim], mean))
		problem.MaxSteps = p.steps
		_, err := problem.Solve(l.Model().Precision(c))
		var e *glasso.StalledError
		if errors.As(err, &e) {
			count++
		}
	}
	return count
}
