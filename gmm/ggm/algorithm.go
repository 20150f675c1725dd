package ggm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/option"
)

// Kind is the algorithm by its name.
var Kind = algorithm.Kind{
	Name: "ggm", About: "a mixture of sparse Gaussian graphical models, by private sums",
	New: func() algorithm.Algorithm { return new(Algorithm) },
}

// Algorithm is the learning of a mixture by a [Learner], with its settings.
type Algorithm struct {
	Components, Rounds int
	Tol, Lambda0, Rho  float64
	Init               option.FileContent

	start  *gmm.Parameters // of Init
	shared *Solutions
}

var _ algorithm.InOneProcess = (*Algorithm)(nil)

// Options binds the settings.
func (a *Algorithm) Options() option.Table {
	const components = 5
	return option.Table{
		option.Int(&a.Components, "components", components, "number `K` of components of the shared mixture", option.AtLeast(1),
			option.DefaultBy(func() int {
				if a.start != nil {
					return len(a.start.Weights)
				}
				return components
			})),
		option.Int(&a.Rounds, "rounds", 100, "maximum number of `ROUNDS`", option.AtLeast(1)),
		option.Float(&a.Tol, "tol", 1e-6, "stop when the objective changes by less than this `SHARE`; 0 runs all rounds", option.Finite()),
		option.Float(&a.Lambda0, "lambda0", 1, "weight of the prior mean, in `ROWS`", option.Above(0, math.MaxFloat64)),
		option.Float(&a.Rho, "rho", 0, "absolute sparsity `PENALTY` of the precision matrices (default 0.1·N/K, with N rows of all members)",
			option.Above(0, math.MaxFloat64), option.Optional[float64]("leave it out for 0.1·N/K")),
		option.File(&a.Init, "init", "start from the means, precisions and weights in a JSON `FILE`", a.readInit).ForExperts(),
	}
}

func (a *Algorithm) readInit(content []byte) (digest string, err error) {
	if a.start, err = gmm.ReadParameters(bytes.NewReader(content)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// Prepare checks the start.
func (a *Algorithm) Prepare(algorithm.Coordinates) error {
	if a.start != nil && len(a.start.Weights) != a.Components {
		return option.Errorf("init", "want %d components, got %d", a.Components, len(a.start.Weights))
	}
	return nil
}

// Traits says what the settings ask of those who run them.
func (a *Algorithm) Traits() algorithm.Traits {
	return algorithm.Traits{
		Rounds: a.Rounds, Patterns: true, LeastRows: a.Components + 1, Objective: "log posterior, nats",
		Values: func(columns int) int { return passes.PackedLen(a.Components, columns, true) + 1 },
	}
}

// Disclosure says what members tell each other.
func (a *Algorithm) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	return algorithm.Disclosure{Sums: true, KnownMoments: true, Conserved: algorithm.Covariances}
}

// Together lets participants in one process share what they would all compute.
func (a *Algorithm) Together(uint64, func() (*mat.Dense, error)) error {
	a.shared = &Solutions{}
	return nil
}

// Train plays one participant's part. Moments of another type are left alone.
func (a *Algorithm) Train(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	c := Config{Components: a.Components, Lambda0: a.Lambda0, Rho: a.Rho, Seed: d.Seed, Init: a.start, Shared: a.shared}
	c.Moments, _ = d.Moments.(*columnstats.Moments)
	l, err := NewLearner(d.Rows, c)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	last, err := algorithm.Rounds(ctx, g, l, collabdict.Options{Rounds: a.Rounds, Tol: a.Tol}, func(r collabdict.Round) {
		diversity := algorithm.Diversity(l.Diversity())
		after(algorithm.Progress{Round: r, Loss: -r.Objective / float64(max(l.TotalRows(), 1)), Diversity: &diversity})
	})
	if last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	out := algorithm.Outcome{Last: last, Model: l.Model(), TotalRows: l.TotalRows(), Used: map[string]any{"rho": l.Rho()}}
	if !l.Counted() {
		out.Warnings = append(out.Warnings, "no round has counted the statistics of this participant: the patterns were made without them, and only the weights are fitted to its rows")
	}
	if e := l.Stalled(); e != nil {
		out.Warnings = append(out.Warnings, "graphical lasso: the last round left a component off its optimum: "+e.Error())
	}
	return out, err
}

// Load returns the mixture that arrays are of.
func (a *Algorithm) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	m, err := gmm.LoadMixture(arrays, "", gmm.Full, coordinates)
	if err != nil {
		return nil, err
	}
	return m, nil
}
