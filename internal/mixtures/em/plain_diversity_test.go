package em_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// twoWithFar returns the rows of two participants and centres. The first participant has three
// rows that are nearly the same and far from all others, and one centre is at these rows.
func twoWithFar() ([]*mat.Dense, func(context.Context, collabdict.Group) (*mat.Dense, error)) {
	parts := []*mat.Dense{testkit.Patterns(100, 2, 2, 1), testkit.Patterns(100, 2, 2, 2)}
	for j := range 3 {
		parts[0].SetRow(99-j, []float64{20 + 1e-3*float64(j), 20})
	}
	return parts, func(context.Context, collabdict.Group) (*mat.Dense, error) {
		return mat.NewDense(3, 2, []float64{3, -3, 0, 1, 20, 20}), nil
	}
}

// In every form and with either policy, no component consists of the far rows.
func TestFarRowsCountForOtherComponents(t *testing.T) {
	parts, centres := twoWithFar()
	for _, form := range []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical} {
		for _, policy := range []privacy.Policy{privacy.Warn, privacy.SkipComponent, privacy.DrawComponent} {
			learners, _ := train(t, parts, func(s int) em.Config {
				return em.Config{
					Plain: &em.Plain{Centres: centres, Form: form}, Diversity: privacy.Rule{Least: 5, Policy: policy},
					Source: rand.NewChaCha8([32]byte{byte(s)}),
				}
			}, collabdict.Options{Rounds: 15})
			m := learners[0].Model()
			near := false
			for k := range m.Components() {
				near = near || m.Weights()[k] > 0.01 && math.Hypot(m.Means().At(k, 0)-20, m.Means().At(k, 1)-20) < 0.1
			}
			if near != (policy == privacy.Warn) {
				t.Errorf("%v, %s: a component is that of the far rows: %t; means %v", form, policy, near, mat.Formatted(m.Means()))
			}
		}
	}
}

func TestStopBeforeFarRowsAreSent(t *testing.T) {
	parts, centres := twoWithFar()
	rounds := 0
	err := lockstep.Run(t.Context(), 2, func(ctx context.Context, g collabdict.Group, s int) error {
		first, err := gmm.Fit(parts[0], 3, gmm.EM{}, rand.NewPCG(1, 1)) // one component is that of the far rows
		if err != nil {
			return err
		}
		l, err := em.NewLearner(gmm.Matrix(parts[s]), em.Config{Plain: &em.Plain{Mixture: given(first.Mixture)}, Diversity: privacy.Rule{Least: 5, Policy: privacy.Stop}})
		if err != nil {
			return err
		}
		_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 5, OnRound: func(collabdict.Round) { rounds++ }})
		return err
	})
	var low *privacy.LowError
	if !errors.As(err, &low) || math.Abs(low.Rows-3) > 0.01 || rounds != 0 {
		t.Errorf("got %v after %d rounds, want an error about three rows before the first", err, rounds)
	}
	if _, err := em.NewLearner(gmm.Matrix(mat.NewDense(4, 2, nil)), em.Config{Plain: &em.Plain{Centres: centres}, Diversity: privacy.Rule{Least: 5, Policy: privacy.Stop}}); err == nil {
		t.Error("want an error for fewer rows than the diversity")
	}
	if _, err := em.NewLearner(gmm.Matrix(parts[0]), em.Config{Plain: &em.Plain{Centres: centres}, Diversity: privacy.Rule{Least: 5, Policy: privacy.DrawComponent}}); err == nil {
		t.Error("want an error for draws without a source")
	}
}
