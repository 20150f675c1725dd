package clusters

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// method is a way to find clusters.
type method string

const (
	chiSquare    method = "FedGEM, chi-square radius"
	chosen       method = "FedGEM, factor cross-validated"
	published    method = "FedGEM, published factor"
	half         method = "FedGEM, published factor and half radii"
	kFED         method = "k-FED (number known)"
	process      method = "Dirichlet process (rows in one place)"
	known        method = "mixture (rows in one place, number known)"
	centresKnown method = "nearest true centre"
)

// methods lists all methods, in the order of tables.
var methods = []method{chiSquare, chosen, published, half, kFED, process, known, centresKnown}

// repeat deals the rows of a set once and clusters them by all methods that apply.
func repeat(ctx context.Context, l *study.Lab, s set, seed uint64) (map[method]outcome, error) {
	return study.Cell(ctx, l, fmt.Sprintf("%s, repeat %d", s.name, seed+1), func(ctx context.Context) (map[method]outcome, error) {
		clients, centres, err := s.deal(rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			return nil, err
		}
		out := map[method]outcome{}
		if centres != nil {
			out[centresKnown] = trueCentres(clients, centres)
		}
		if out[kFED], err = oneRound(clients, s.classes, seed); err != nil {
			return nil, fmt.Errorf("k-FED: %w", err)
		}
		if out[process], err = dirichlet(clients, s.classes, seed); err != nil {
			return nil, fmt.Errorf("variational mixture: %w", err)
		}
		if out[known], err = knownNumber(clients, s.classes, seed); err != nil {
			return nil, fmt.Errorf("mixture: %w", err)
		}
		return out, fedGEM(ctx, clients, s, seed, out)
	})
}

// fedGEM adds the outcomes of FedGEM. It uses the first of the published factors: with each of
// them all regions overlap.
func fedGEM(ctx context.Context, clients []client, s set, seed uint64, out map[method]outcome) error {
	c := fedgem.Config{Seed: seed, Shared: &fedgem.Merges{}}
	rules, names := []fedgem.Final{fedgem.ChiSquare{}}, []method{chiSquare}
	if s.published != nil {
		rules, names = append(rules, fedgem.Factor{V: s.published[0]}), append(names, published)
	}
	found, err := together(ctx, lockstep.Run, clients, c, rules, s.factors)
	if err != nil {
		return fmt.Errorf("FedGEM: %w", err)
	}
	for i, name := range append(names, chosen) {
		out[name] = found[i]
	}
	if s.published == nil {
		return nil
	}
	c.Half = true
	found, err = together(ctx, lockstep.Run, clients, c, rules[1:], nil)
	if err != nil {
		return fmt.Errorf("FedGEM with half radii: %w", err)
	}
	out[half] = found[0]
	return nil
}
