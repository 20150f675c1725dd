package fedgem

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// Config steers [Train]. All members use the same but for Components and Noise. The
// zero value of a field means its default.
type Config struct {
	// Components is K_g, the number of this participant's own clusters. 0 takes the
	// number from 1 to MaxComponents with the smallest BIC.
	Components, MaxComponents int // the latter 10 by default
	// Full takes clusters with any covariance, whose regions are ellipsoids. Otherwise
	// clusters are round, those of a participant equally large, and regions balls.
	Full bool
	// BurnIn is the number of EM steps on own rows before the first round, default
	// 10. Weights and covariances stay as they are then.
	BurnIn int
	// LocalSteps is the number of EM steps in a round, default 1.
	LocalSteps int
	// Rounds is the largest number of rounds before the last merge, default 50.
	Rounds int
	// Tol ends the rounds when no centre of anybody moves by more than Tol times the
	// standard deviation of its cluster, default 1e-6; below 0 nothing does.
	Tol float64
	// Half takes half of each squared radius, as the public code of the paper does.
	Half bool
	// Chain lets centres of one participant come into one super-cluster, by way of
	// those of others: super-clusters are the connected components of the regions that
	// meet. Otherwise what a participant tells apart stays apart, as in the paper's
	// public code, without which many participants chain everything together.
	Chain bool
	// Final gives the regions of the last merge; nil is ChiSquare with its default.
	Final Final
	// Noise hides single rows in what is published; nil adds none.
	Noise *Noise
	// MinRows, by default [privacy.MinRows], is the fewest rows that a cluster may be
	// of which is published; those of fewer are merged into others. And clusters are
	// published once, in the last merge: what they have gained and lost between two
	// rounds would be of few rows. So the rounds before it are the participant's own,
	// without the others. With 1 clusters are published as they are, in every round, as
	// in the paper; and so they are with Noise, which is made for that.
	MinRows int
	// Shared are the merges of members of one process, as in a simulation; nil if
	// there are no others.
	Shared *Merges
	// Seed draws the starts.
	Seed uint64
	// OnRound, if not nil, is called after each round before the last merge.
	OnRound func(Round)
}

func (c Config) withDefaults() Config {
	set := func(v *int, standard int) {
		if *v == 0 {
			*v = standard
		}
	}
	set(&c.MaxComponents, 10)
	set(&c.BurnIn, 10)
	set(&c.LocalSteps, 1)
	set(&c.Rounds, 50)
	set(&c.MinRows, privacy.MinRows)
	if c.Tol == 0 {
		c.Tol = 1e-6
	}
	if c.Final == nil {
		c.Final = ChiSquare{}
	}
	return c
}

// once says whether clusters are published in the last merge alone.
func (c Config) once() bool { return c.MinRows > 1 && c.Noise == nil }

// check reports the first value of a field that cannot be, for this many rows.
func (c Config) check(rows int) error {
	for _, f := range []struct {
		name  string
		value int
	}{{"max components", c.MaxComponents}, {"burn-in", c.BurnIn}, {"local steps", c.LocalSteps}, {"rounds", c.Rounds}, {"min rows", c.MinRows}} {
		if f.value < 1 {
			return fmt.Errorf("%s: want at least 1, got %d", f.name, f.value)
		}
	}
	if c.Components < 0 || c.Components > min(rows, maxRegions) {
		return fmt.Errorf("components: want 0 (chosen by BIC) or 1 to %d, the number of rows, and at most %d, got %d", rows, maxRegions, c.Components)
	}
	if c.once() && rows < c.MinRows {
		return fmt.Errorf("rows: want at least %d, the smallest size of a cluster, got %d", c.MinRows, rows)
	}
	if math.IsNaN(c.Tol) {
		return fmt.Errorf("tolerance: want a number, got %g", c.Tol)
	}
	if err := c.Final.check(); err != nil {
		return err
	}
	if c.Noise != nil {
		return c.Noise.check(c)
	}
	return nil
}
