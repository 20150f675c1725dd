package fedgen

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// fit runs EM on synthetic rows, from the given mixtures or, if there are none, from k-means++
// starts.
func (r *Result) fit(merged Moments, starts []Moments, c Config) (*Result, error) {
	r.Synthetic = r.Gathered * c.perComponent()
	x, err := merged.Sample(r.Synthetic, source(c.Seed, "synthetic rows", 0))
	if err != nil {
		return nil, err
	}
	var choices []Choice
	if c.Reduce {
		choices, r.Best, err = fitFrom(starts, x, c.EM)
	} else {
		choices, r.Best, err = Select(x, c.Global, c.EM, c.Seed)
	}
	if err != nil {
		return nil, fmt.Errorf("fit to %d synthetic rows: %w", r.Synthetic, err)
	}
	for _, choice := range choices {
		r.Choices = append(r.Choices, Summary{
			Components: choice.Mixture.Components(),
			MeanLogLik: choice.MeanLogLik,
			BIC:        choice.BIC(float64(r.Synthetic)),
			BICData:    choice.BIC(float64(r.Rows)),
		})
	}
	r.Mixture = choices[r.Best].Mixture
	return r, nil
}

// fitFrom is Select with given mixtures in place of k-means++ starts.
func fitFrom(starts []Moments, x *mat.Dense, em gmm.EM) (choices []Choice, best int, err error) {
	for _, start := range starts {
		m, err := start.Mixture()
		if err != nil {
			return nil, 0, err
		}
		fit, err := gmm.FitFrom(m, x, em)
		if err != nil {
			return nil, 0, fmt.Errorf("%d components: %w", m.Components(), err)
		}
		choice, err := choiceOf(fit, x)
		if err != nil {
			return nil, 0, err
		}
		choices = append(choices, choice)
	}
	return choices, leastBIC(choices, x), nil
}
