package fedgem

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/privacy"
)

// Config holds the settings of [Learn]. Except for Components and Noise, all members use the
// same values. A field with its zero value takes its default.
type Config struct {
	// Components is K_g, the number of this participant's clusters. 0 chooses the number of
	// smallest BIC, from 1 to MaxComponents.
	Components, MaxComponents int // MaxComponents defaults to 10
	// Full allows clusters of any covariance, whose regions are ellipsoids. Otherwise clusters
	// are spherical, all of a participant's have the same variance, and regions are balls.
	Full bool
	// BurnIn is the number of EM steps on the own rows before the first round, default 10.
	// After them, weights and covariances no longer change.
	BurnIn int
	// LocalSteps is the number of EM steps per round, default 1.
	LocalSteps int
	// Rounds is the maximum number of rounds before the last merge, default 50.
	Rounds int
	// Tol ends the rounds when no centre of any member moves by more than Tol standard
	// deviations of its cluster. The default is 1e-6; a negative value runs all rounds.
	Tol float64
	// Half halves each squared radius, as the paper's public code does.
	Half bool
	// Chain lets centres of one participant share a super-cluster when centres of others
	// connect them: super-clusters are then the connected components of the regions that meet.
	// Otherwise clusters that a participant tells apart stay apart, as in the paper's public
	// code. With Chain, many participants together tend to chain everything into one cluster.
	Chain bool
	// Final sets the regions of the last merge; nil means ChiSquare.
	Final Final
	// Noise hides single rows in published values; nil adds none.
	Noise *Noise
	// MinRows is the smallest number of rows of a published cluster, by default
	// [privacy.MinRows]; smaller clusters are merged into others. Clusters are then published
	// only once, in the last merge, because their change between two rounds could rest on few
	// rows. Until then each participant makes its rounds alone. With 1, or with Noise, which
	// hides rows by itself, clusters are published as they are in every round, as in the paper.
	MinRows int
	// Shared lets members in one process, as in a simulation, share their merges; nil
	// otherwise.
	Shared *Merges
	// Seed determines the starts.
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

// once reports whether clusters are published only in the last merge.
func (c Config) once() bool { return c.MinRows > 1 && c.Noise == nil }

// check returns an error for the first field that is out of range, given the number of rows.
func (c Config) check(rows int) error {
	if c.Noise != nil { // otherwise the others would see that there are few rows
		rows = maxRegions
	}
	if c.Components < 0 || c.Components > min(rows, maxRegions) {
		return fmt.Errorf("components: want 0 (chosen by BIC) or 1 to %d, the number of rows, and at most %d, got %d", rows, maxRegions, c.Components)
	}
	if c.once() && rows < c.MinRows {
		return fmt.Errorf("rows: want at least %d, the smallest size of a cluster, got %d", c.MinRows, rows)
	}
	if c.Noise != nil {
		return c.Noise.check(c)
	}
	return nil
}
