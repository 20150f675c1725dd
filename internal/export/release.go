package export

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/algorithms"
	posterior "github.com/collabdict/collabdict/internal/privacy/release"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// A Release says what a mixture with means drawn from their posterior reveals about a row.
type Release struct {
	// Radius is the largest distance between two rows, in the units of training.
	Radius     float64 `json:"radius"`
	Components int     `json:"components"` // those released
	// LeftOut counts components with too few rows.
	LeftOut int          `json:"left_out"`
	Rows    float64      `json:"rows"`          // rows that the released components rest on
	Least   float64      `json:"least_rows"`    // the fewest rows of one of these components
	Spend   report.Spend `json:"by_precisions"` // the loss for the precisions as learned
	// Prior is the largest possible loss; absent if the precisions are no solution.
	Prior   *report.Spend `json:"by_prior,omitempty"`
	Caveats []string      `json:"caveats"` // what epsilon does not cover
}

// NoPosteriorError reports a model whose means have no posterior to draw from.
type NoPosteriorError struct{ Kind string }

func (e *NoPosteriorError) Error() string {
	var others []string
	for _, k := range algorithms.All() {
		if _, ok := k.New().(posterior.Releaser); ok {
			others = append(others, k.Name)
		}
	}
	return fmt.Sprintf("the model %s has no posterior of means to draw from: want %s, whose means follow from sums over all rows", e.Kind, option.Either(others...))
}

// ReleaseOf draws a release of a model, for rows that differ by at most radius, with ε stated
// at delta. The release has no digest, which would allow guesses at the exact totals to be
// checked. The error is a *NoPosteriorError, or names what the model lacks.
func ReleaseOf(m *model.Model, radius, delta float64, src rand.Source) (*Mixture, error) {
	a, err := m.Algorithm()
	if err != nil {
		return nil, err
	}
	of, ok := a.(posterior.Releaser)
	switch {
	case !ok:
		return nil, &NoPosteriorError{m.Manifest.Kind}
	case m.Manifest.Window > 0:
		return nil, fmt.Errorf("each row of the data is part of the %d rows of its windows, and epsilon covers one training row: train without --window", m.Manifest.Window)
	}
	p, err := of.Posterior(m.Learned, m.PriorVariances)
	if err != nil {
		return nil, err
	}
	loss, kept := p.Loss(radius), p.Kept()
	if math.IsInf(float64(loss.Precisions), 1) {
		return nil, fmt.Errorf("want the largest distance of two rows as radius, got %g", radius)
	}
	r := &Release{
		Radius: radius, Components: len(kept), LeftOut: len(p.Rows) - len(kept), Least: math.Inf(1),
		Spend: report.SpendOf(loss.Precisions, delta, neighbours(radius)), Caveats: caveats(m, radius),
	}
	for _, k := range kept {
		r.Rows += p.Rows[k]
		r.Least = math.Min(r.Least, p.Rows[k])
	}
	if !math.IsInf(float64(loss.Prior), 1) {
		prior := report.SpendOf(loss.Prior, delta, neighbours(radius))
		r.Prior = &prior
	}
	_, expected := m.Learned.(gmm.Expected)
	return &Mixture{Mixture: p.Draw(src), Kind: m.Manifest.Kind, Columns: columnsOf(m).shared(), Expected: expected, Release: r}, nil
}

func neighbours(radius float64) string {
	return fmt.Sprintf("one row of one member replaced by another at a distance of at most %g in the coordinates of training, with precisions, rows per component and responsibilities unchanged", radius)
}

// caveats describes in plain words what ε of a release does not cover.
func caveats(m *model.Model, radius float64) []string {
	list := []string{
		"Only the drawn means are protected. Precisions, weights and, without agreed ranges, the scales of columns follow from the rows as well, and are in the file unchanged. Epsilon takes them as fixed, and also the component of each row.",
		fmt.Sprintf("Nothing here has enforced the radius. If two possible rows, with their missing cells filled in, can be further apart than %g, epsilon is too small for them: clip rows before training.", radius),
		"The means of the model itself are not protected: all members have them, and so has anybody with model.npz.",
		"Each release adds to earlier ones. The ledger of this folder counts its own releases; a release of the same training by another member adds as much again.",
		"Epsilon is a measure of this release alone. It does not make the training differentially private.",
	}
	if m.Manifest.Standardise == own {
		list = append(list, "Each participant has scaled columns by its own rows: the radius is in these units, which another row may also change.")
	}
	return list
}
