package fedgen

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm"
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
	// Reduce puts the gathered components together without synthetic rows, by
	// [Moments.Reduce].
	Reduce bool
	// Seed is public. It gives the starts of all fits and the synthetic rows.
	Seed [32]byte
}

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
// same bytes everywhere; the fit to them has the same bits on machines of one
// architecture.
func Aggregate(contributions []Contribution, c Config) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(contributions) == 0 {
		return nil, fmt.Errorf("want the mixture of at least 1 participant, got none")
	}
	merged, rows := Merge(contributions)
	r := &Result{Rows: rows, Gathered: len(merged.Weights)}
	if c.Reduce {
		if err := r.reduce(merged, c.Global); err != nil {
			return nil, fmt.Errorf("reduce: %w", err)
		}
		return r, nil
	}
	r.Synthetic = r.Gathered * c.perComponent()
	x, err := merged.Sample(r.Synthetic, source(c.Seed, "synthetic rows", 0))
	if err != nil {
		return nil, err
	}
	choices, best, err := Select(x, c.Global, c.EM, c.Seed)
	if err != nil {
		return nil, fmt.Errorf("fit to %d synthetic rows: %w", r.Synthetic, err)
	}
	for _, choice := range choices {
		r.Choices = append(r.Choices, Summary{
			Components: choice.Mixture.Components(),
			MeanLogLik: choice.MeanLogLik,
			BIC:        choice.BIC(float64(r.Synthetic)),
			BICData:    choice.BIC(float64(rows)),
		})
	}
	r.Mixture, r.Best = choices[best].Mixture, best
	return r, nil
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
