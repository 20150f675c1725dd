package scoring

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// leastKnown is the share of known rows above which they are not there by chance.
const leastKnown = 0.2

// KnownRows finds rows that the model was trained on; nil without the local part. If the model can leave rows
// out, they get the scores that they have without themselves.
type KnownRows struct {
	model    *model.Model
	rows     *local.Known
	loaded   bool // whether the fields below are set
	leftOut  []float64
	surprise *mat.Dense
	leaves   bool

	Rows  int // rows looked at
	Known int // those that trained
}

// knownOf returns the rows that a model was trained on.
func knownOf(m *model.Model) *KnownRows {
	if m.Local == nil {
		return nil
	}
	return &KnownRows{model: m, rows: m.Local.Nearest.Known()}
}

// LeavesOut reports whether known rows have the scores that they have without themselves. Otherwise their
// scores are too low.
func (k *KnownRows) LeavesOut() bool {
	if k == nil {
		return false
	}
	if !k.loaded {
		k.leftOut, k.surprise, k.leaves = k.model.Local.LeftOut(k.model.ScoredBy())
		k.loaded = true
	}
	return k.leaves
}

// mark counts the rows of a block and those that trained, and sets Known, and their scores and surprises if
// LeavesOut.
func (k *KnownRows) mark(r *Rows) {
	r.Known = make([]bool, len(r.Scores))
	if k == nil {
		return
	}
	for i := range r.Known {
		index, known := k.rows.Find(r.Trained.RawRowView(i))
		if r.Known[i] = known; !known {
			continue
		}
		k.Known++
		if !k.LeavesOut() {
			continue
		}
		r.Scores[i] = k.leftOut[index]
		if r.Surprises != nil {
			r.Surprises.SetRow(i, k.surprise.RawRowView(index))
		}
	}
	k.Rows += len(r.Known)
}

// Many reports whether the rows that trained are too many to be there by chance.
func (k *KnownRows) Many() bool { return k != nil && float64(k.Known) > leastKnown*float64(k.Rows) }
