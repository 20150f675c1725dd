package scoring

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// leastKnown is the share of known rows above which they are not there by chance.
const leastKnown = 0.2

// KnownRows finds rows that the model was trained on; nil without the local part.
type KnownRows struct {
	of    *local.Known
	Rows  int // rows looked at
	Known int // those that trained
}

// KnownOf returns the rows that a model was trained on.
func KnownOf(m *model.Model) *KnownRows {
	if m.Local == nil {
		return nil
	}
	return &KnownRows{of: m.Local.Nearest.Known()}
}

// mark counts rows in the coordinates of training, and returns those that trained.
func (k *KnownRows) mark(z *mat.Dense) []bool {
	n, _ := z.Dims()
	trained := make([]bool, n)
	if k == nil {
		return trained
	}
	for i := range trained {
		if trained[i] = k.of.Has(z.RawRowView(i)); trained[i] {
			k.Known++
		}
	}
	k.Rows += n
	return trained
}

// Many reports whether the rows that trained are too many to be there by chance.
func (k *KnownRows) Many() bool { return k != nil && float64(k.Known) > leastKnown*float64(k.Rows) }
