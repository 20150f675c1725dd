package fedgen

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/privacy"
)

// Config steers [Learn] and [Aggregate]. All members must use the same values, but
// for Local, which each may have of its own up to the same Max.
type Config struct {
	// Local and Global are the numbers of components of the participants' mixtures
	// and of the shared one.
	Local, Global Range
	// EM is for the local fits and for the shared one.
	EM gmm.EM
	// PerComponent is H of Eq. (5): synthetic rows per gathered component. 0 means
	// 100.
	PerComponent int
	// MinRows is the fewest rows that a component may be of which [Local] gives out;
	// those of fewer are merged into others. 0 means [privacy.MinRows]; with 1
	// components are as they were fitted, as in the paper.
	MinRows int
	// Method is how what is gathered becomes one mixture.
	Method Method
	// Seed is public. It gives the starts of all fits and the synthetic rows.
	Seed [32]byte
}

// Method is a way to make one mixture of many components.
type Method int

const (
	// Synthetic is the paper's: EM on synthetic rows from a k-means++ start.
	Synthetic Method = iota
	// Reduced is [Moments.Reduce], without synthetic rows.
	Reduced
	// ReducedStart is EM on synthetic rows from the reduced mixture.
	ReducedStart
)

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	if err := c.Local.Validate(); err != nil {
		return fmt.Errorf("local %w", err)
	}
	if err := c.Global.Validate(); err != nil {
		return fmt.Errorf("global %w", err)
	}
	if c.PerComponent < 0 || c.PerComponent > 1e6 {
		return fmt.Errorf("synthetic rows per component: want 1 to 1000000, or 0 for 100, got %d", c.PerComponent)
	}
	if c.MinRows < 0 {
		return fmt.Errorf("min rows: want at least 1, or 0 for %d, got %d", privacy.MinRows, c.MinRows)
	}
	if c.Method < Synthetic || c.Method > ReducedStart {
		return fmt.Errorf("method: want %d to %d, got %d", Synthetic, ReducedStart, c.Method)
	}
	return nil
}

// Result is a shared mixture and where it is from. It is the same at all members.
type Result struct {
	Mixture *gmm.Mixture
	// Rows is |D|, the rows of all participants behind it.
	Rows int
	// Gathered is the number of components that it was made from.
	Gathered int
	// Synthetic is |S|, 0 if there were no synthetic rows.
	Synthetic int
	// Choices are the numbers of components that were tried, Best the one taken.
	Choices []Summary
	Best    int
}

// Summary is what a number of components came to.
type Summary struct {
	Components int
	// MeanLogLik is that of the synthetic rows, in nats.
	MeanLogLik float64
	// BIC takes the synthetic rows for data: the paper's criterion, by which the
	// best is chosen. It grows with their number, which is arbitrary.
	BIC float64
	// BICData is the same with the number of the participants' rows in place of that
	// of the synthetic ones. Without synthetic rows it is what BIC rises to at most
	// above −2 ln L of the gathered mixture, and the best is chosen by it.
	BICData float64
	// Divergence is what Reduce returns, in nats.
	Divergence float64
}

// Merge is Eq. (4): all components in one mixture, each contribution with the share
// of its rows in all. The order of the contributions is that of the components.
func Merge(contributions []Contribution) (m Moments, rows int) {
	for _, c := range contributions {
		rows += c.Rows
	}
	for _, c := range contributions {
		m.Form = c.Form
		share := float64(c.Rows) / float64(rows)
		for _, w := range c.Weights {
			m.Weights = append(m.Weights, share*w)
		}
		m.Means = append(m.Means, c.Means...)
		m.Covariances = append(m.Covariances, c.Covariances...)
	}
	return m, rows
}

// Aggregate is the server's part of Algorithm 4.1, which every member does for
// itself: the shared mixture from what all have published. The synthetic rows are the
// same bytes everywhere, and the fit to them has the same bits.
func Aggregate(contributions []Contribution, c Config) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(contributions) == 0 {
		return nil, fmt.Errorf("want the mixtures of at least 1 participant, got none")
	}
	merged, rows := Merge(contributions)
	r := &Result{Rows: rows, Gathered: len(merged.Weights)}
	var left []Moments
	if c.Method != Synthetic {
		reduced, costs, err := merged.reductions(c.Global)
		if err != nil {
			return nil, fmt.Errorf("reduce: %w", err)
		}
		if c.Method == Reduced {
			return r.choose(reduced, costs)
		}
		left = reduced
	}
	return r.fit(merged, left, c)
}

func (c Config) perComponent() int {
	if c.PerComponent == 0 {
		return 100
	}
	return c.PerComponent
}

// Contribution returns the shared mixture as that of a participant with all the rows
// behind it. Aggregated with the contributions of newcomers it gives the next shared
// mixture: nobody trains again, and nobody need have kept what was gathered before.
func (r *Result) Contribution() Contribution {
	return Contribution{Rows: r.Rows, Moments: MomentsOf(r.Mixture)}
}
