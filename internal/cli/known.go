package cli

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// leastKnown is the share of known rows above which they are not there by chance.
const leastKnown = 0.2

// knownRows finds rows that the model was trained on; nil without the local part.
type knownRows struct {
	of    *local.Known
	rows  int
	known int // those that trained
}

func knownOf(m *model.Model) *knownRows {
	if m.Local == nil {
		return nil
	}
	return &knownRows{of: m.Local.Nearest.Known()}
}

// mark counts rows in the coordinates of training, and returns those that trained.
func (k *knownRows) mark(z *mat.Dense) []bool {
	n, _ := z.Dims()
	trained := make([]bool, n)
	if k == nil {
		return trained
	}
	for i := range trained {
		trained[i] = k.of.Has(z.RawRowView(i))
		k.known += one(trained[i])
	}
	k.rows += n
	return trained
}

// many reports whether the rows that trained are too many to be there by chance.
func (k *knownRows) many() bool { return k != nil && float64(k.known) > leastKnown*float64(k.rows) }

// tell notes that rows trained.
func (k *knownRows) tell(a *app) {
	if k.many() {
		a.note("%d of %s trained the model: their scores are too low, so faults among them may look normal", k.known, count(k.rows, "row"))
	}
}
