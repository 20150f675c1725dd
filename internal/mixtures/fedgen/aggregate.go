package fedgen

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm"
)

// Config holds the settings of [Learn] and [Aggregate]. All members must use the same values.
// Only Local may differ, up to the same Max.
type Config struct {
	// Local and Global are the numbers of components of the participants' mixtures and of the
	// shared one.
	Local, Global Range
	// EM holds the settings of the local fits and of the shared one.
	EM gmm.EM
	// PerComponent is H of Eq. (5) of Zhang Pettersson et al. 2025, the number of synthetic
	// rows per gathered component; 0 means 100.
	PerComponent int
	// MinRows is the smallest number of rows of a component that [Local] returns; smaller
	// components are merged into others. 0 means [privacy.MinRows]. With 1, components are as
	// they were fitted, as in the paper.
	MinRows int
	// Reduce starts the shared fit from the gathered components, merged pair by pair, in place of
	// the paper's k-means++ start.
	Reduce bool
	// Seed is public. It determines the starts of all fits and the synthetic rows.
	Seed [32]byte
}

// Result is a shared mixture and its origin. It is the same at all members.
type Result struct {
	Mixture *gmm.Mixture
	// Rows is |D|, the number of rows of all participants.
	Rows int
	// Gathered is the number of components that the participants published.
	Gathered int
	// Synthetic is |S|, the number of synthetic rows; 0 for a participant alone.
	Synthetic int
	// Choices lists the numbers of components that were tried; Best is the index of the chosen
	// one.
	Choices []Summary
	Best    int
}

// Summary is the result of one number of components.
type Summary struct {
	Components int
	// MeanLogLik is the mean log-likelihood of the synthetic rows, in nats.
	MeanLogLik float64
	// BIC is the paper's criterion, which treats the synthetic rows as data. It chooses the
	// best, although it grows with their number, which is arbitrary.
	BIC float64
	// BICData is BIC with the number of the participants' rows in place of the synthetic ones.
	BICData float64
}

// Merge is Eq. (4): one mixture of all components, in the order of the contributions, each
// weighted by its share of all rows.
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

// Aggregate is the server's part of Algorithm 4.1, which every member runs itself: it computes
// the shared mixture from all published ones. The synthetic rows are the same bytes everywhere,
// and the fit to them has the same bits.
func Aggregate(contributions []Contribution, c Config) (*Result, error) {
	if len(contributions) == 0 {
		return nil, fmt.Errorf("want the mixtures of at least 1 participant, got none")
	}
	merged, rows := Merge(contributions)
	r := &Result{Rows: rows, Gathered: len(merged.Weights)}
	var left []Moments
	if c.Reduce {
		var err error
		if left, err = merged.reductions(c.Global); err != nil {
			return nil, fmt.Errorf("reduce: %w", err)
		}
	}
	return r.fit(merged, left, c)
}

func (c Config) perComponent() int {
	if c.PerComponent == 0 {
		return 100
	}
	return c.PerComponent
}
