package ggm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// Config steers a [Learner]. All members must use the same values.
type Config struct {
	// Components is K, at least 1 and at most the rows of all participants.
	Components int
	// Choices, if there are several, are what to choose K and Lambda from, in place of those
	// given, by Held.
	Choices []Choice
	// Held are own rows that are held out of training; nil for none.
	Held gmm.Rows
	// Lambda0 is λ₀ of Eq. (8), the weight in rows of the prior mean 0. 0 means 1.
	Lambda0 float64
	// Rho is ρ of Eq. (16), absolute, which gives the regularisation of the paper. 0 means
	// the relative one by Lambda.
	Rho float64
	// Lambda is λ, the penalty of a row for the edges of its component in columns of unit
	// variance within components. 0 means 0.1. It is not used if there is a Rho.
	Lambda float64
	// Sparse is the price of each component that a participant has a weight for, as a share
	// of ln N, N its own rows. 0 means none.
	Sparse float64
	// Seed is public: it draws candidates for the agreed start.
	Seed uint64
	// Init gives the start. Nil means one that the members agree on.
	Init *gmm.Parameters
	// Moments, if not nil, are what the participants know of their rows already. All
	// must have them, or none: the learner then asks for neither them nor bounds.
	Moments *columnstats.Moments
	// Missing says that rows may have missing cells, which are NaN: at each row, and for each
	// component, these have their distribution given the others.
	Missing bool
	// Diversity is what becomes of statistics that rest on few of the own rows.
	Diversity privacy.Rule
	// Blur is what blurs a coordinate of a total, in rows, against so many Colluders; 0 for nothing.
	Blur      float64
	Colluders int
	// Source draws what must be the participant's alone, if there is a blur or a rule of diversity
	// that draws.
	Source rand.Source
	// Shared, if not nil, is what learners of one process share.
	Shared *Solutions
}

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	if c.Components < 1 && len(c.Choices) == 0 {
		return fmt.Errorf("components: want at least 1, got %d", c.Components)
	}
	if !(c.Lambda0 >= 0) || math.IsInf(c.Lambda0, 1) {
		return fmt.Errorf("lambda0: want a finite value of at least 0, got %g", c.Lambda0)
	}
	if !(c.Rho >= 0) || math.IsInf(c.Rho, 1) {
		return fmt.Errorf("rho: want a finite value of at least 0, got %g", c.Rho)
	}
	if !(c.Lambda >= 0) || math.IsInf(c.Lambda, 1) {
		return fmt.Errorf("lambda: want a finite value of at least 0, got %g", c.Lambda)
	}
	if !(c.Sparse >= 0 && c.Sparse <= 1) {
		return fmt.Errorf("sparse: want a share from 0 to 1, got %g", c.Sparse)
	}
	if c.Diversity.Secret() && c.Source == nil {
		return errors.New("diversity: want a source to draw from, got none")
	}
	if c.Init == nil {
		return nil
	}
	if err := c.Init.Validate(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if k := len(c.Init.Weights); k != c.Components {
		return fmt.Errorf("init: want %d components, got %d", c.Components, k)
	}
	return nil
}

// ComponentsError says that there are more components than rows of all
// participants together.
type ComponentsError struct{ Components, Rows int }

func (e *ComponentsError) Error() string {
	return fmt.Sprintf("components: want at most %d, the number of rows of all participants, got %d", e.Rows, e.Components)
}

// candidates returns what there is to choose from, given the rows of all participants. The
// variances of relative priors are still to be learned.
func (c Config) candidates(rows int) (out []*candidate) {
	choices := c.Choices
	if len(choices) == 0 || c.Rho > 0 {
		choices = []Choice{{c.Components, cmp.Or(c.Lambda, 0.1)}}
	}
	for _, x := range choices {
		if len(choices) > 1 && x.Components > max(rows/rowsEach, choices[0].Components) {
			continue
		}
		p := prior{lambda0: cmp.Or(c.Lambda0, 1), rho: c.Rho, shared: c.Shared, blurred: c.Blur > 0}
		if c.Rho == 0 {
			p.relative = &relative{lambda: x.Lambda}
		}
		out = append(out, &candidate{components: x.Components, prior: p})
	}
	return out
}

// least returns the fewest components there can be.
func (c Config) least() int {
	if len(c.Choices) > 0 && c.Rho == 0 {
		return c.Choices[0].Components
	}
	return c.Components
}
