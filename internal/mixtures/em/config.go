package em

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Config holds the settings of a [Learner]. All members must use the same values.
type Config struct {
	// Components is K, from 1 to the number of rows of all participants.
	Components int
	// Choices, if there are several, replace Components and Lambda: the learner chooses one by
	// the rows in Held.
	Choices []Choice
	// Fewest, if above 0, lets [Learner.Written] merge components that are one pattern, until this
	// number is left. It needs the relative prior.
	Fewest int
	// Held holds the own held-out rows; nil if there are none.
	Held gmm.Rows
	// Rescaled, if not nil, has the same rows in other coordinates. The learner chooses between
	// both by the rows in Held, too; see [Learner.Rescaled]. All members must have it, or none.
	Rescaled *algorithm.Rescaled
	// Lambda0 is λ₀ of Eq. (8) of Idé et al. 2024, the weight, in rows, of the prior mean 0. 0
	// means 1.
	Lambda0 float64
	// Rho is the absolute penalty ρ of Eq. (16), which gives the paper's regularisation. 0
	// selects the relative one, with Lambda.
	Rho float64
	// Lambda is λ, the penalty per row for the edges of its component, in columns of unit
	// variance within components. 0 means 0.1. It is ignored if Rho is set.
	Lambda float64
	// Sparse is the price of each component in which a participant has a weight, as a share of
	// ln N with N its number of rows. 0 means no price.
	Sparse float64
	// Seed is public. It draws the candidates for the agreed start.
	Seed uint64
	// Init is the start; nil lets the members agree on one.
	Init *gmm.Parameters
	// Missing allows missing cells, which are NaN. In each row and component, they have their
	// distribution given the row's other cells.
	Missing bool
	// Diversity is the rule for statistics that rest on few of the own rows.
	Diversity privacy.Rule
	// Blur is the standard deviation, in rows, of the noise on each value of a total, which
	// holds against this number of Colluders; 0 adds none. It has the same size in all columns,
	// so it needs rows whose spread is about 1 in each of them, and whose middle is near 0.
	Blur      float64
	Colluders int
	// Source draws the participant's secrets. It is needed for Blur, and for a rule of
	// diversity that draws.
	Source rand.Source
	// Shared, if not nil, is shared by the learners of one process.
	Shared *Solutions
	// Plain, if not nil, selects maximum likelihood with shared weights. Of the fields above,
	// only Diversity, Blur, Colluders and Source then apply.
	Plain *Plain
}

// Plain defines a mixture without a prior, and where EM starts: exactly one of Mixture and Centres
// is set, the same at all members.
type Plain struct {
	// Mixture agrees with the group on the first mixture.
	Mixture func(ctx context.Context, g collabdict.Group) (*gmm.Mixture, error)
	// Centres agrees with the group on K by M centres. The first mixture, of the given Form,
	// then follows from a sum over all rows, in which each row is weighted by its distance to
	// the centres.
	Centres func(ctx context.Context, g collabdict.Group) (*mat.Dense, error)
	Form    gmm.Covariance
	// RegCovar is added to the diagonal of every covariance matrix; 0 means 1e-6.
	RegCovar float64
}

// A ComponentsError means that there are more components than rows of all participants
// together.
type ComponentsError struct{ Components, Rows int }

func (e *ComponentsError) Error() string {
	return fmt.Sprintf("components: want at most %d, the number of rows of all participants, got %d", e.Rows, e.Components)
}

// candidates returns the candidates of a view to choose from, given the number of rows of all
// participants, or a bound of it, and the number of columns; 0 rows if nothing is known. The variances of relative priors are not
// set yet.
func (c Config) candidates(v *view, rows float64, columns int) (out []*candidate) {
	choices := c.Choices
	if len(choices) == 0 || c.Rho > 0 {
		choices = []Choice{{c.Components, cmp.Or(c.Lambda, 0.1)}}
	}
	most := max(int(rows)/max(rowsEach, rowsPerColumn*columns), choices[0].Components)
	for _, x := range choices {
		if len(choices) > 1 && rows > 0 && x.Components > most {
			continue
		}
		p := prior{lambda0: cmp.Or(c.Lambda0, 1), rho: c.Rho, share: c.Sparse, shared: c.Shared, blurred: c.Blur > 0}
		if c.Rho == 0 {
			p.relative = &relative{lambda: x.Lambda}
		}
		out = append(out, &candidate{view: v, components: x.Components, form: p})
	}
	return out
}

// weightRows returns the number of rows that the weights count per component besides actual rows.
func (c Config) weightRows() float64 {
	if c.Rho > 0 {
		return 0
	}
	return OwnRows
}

// least returns the smallest number of components that may be chosen.
func (c Config) least() int {
	if len(c.Choices) > 0 && c.Rho == 0 {
		return c.Choices[0].Components
	}
	return c.Components
}
