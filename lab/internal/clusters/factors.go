package clusters

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// tryFactors shows how much the result depends on the factor in the paper's rule for the last
// radius. It adds the radius that needs no factor.
func (p plan) tryFactors(ctx context.Context, l *study.Lab) error {
	index := plots.Chart{
		Name: "fedgem-factor-index", Title: "Agreement by the last radius",
		X: "factor of the paper's rule", Y: "adjusted Rand index, all rows",
	}
	number := plots.Chart{
		Name: "fedgem-factor-clusters", Title: "Clusters found by the last radius",
		X: "factor of the paper's rule", Y: "clusters", Decades: true,
	}
	for _, c := range []*plots.Chart{&index, &number} {
		c.Subtitle = "Ten clusters, means and standard deviations. Level: chi-square radius. Chained: own clusters may come together"
		for _, v := range p.factors {
			c.Places = append(c.Places, short(v))
		}
	}
	var rows [][]string
	for _, chain := range []bool{false, true} {
		for _, s := range p.tried {
			found, err := p.byFactor(ctx, l, s, chain)
			if err != nil {
				return err
			}
			for i, o := range found {
				rule, own := "chi-square", "apart"
				if i > 0 {
					rule = short(p.factors[i-1])
				}
				if chain {
					own = "chained"
				}
				rows = append(rows, append([]string{s.name, own, rule}, columns(o)...))
			}
			index.Lines = append(index.Lines, lines(s.name, chain, found, func(o outcome) float64 { return o.All })...)
			number.Lines = append(number.Lines, lines(s.name, chain, found, func(o outcome) float64 { return float64(o.Clusters) })...)
		}
	}
	header := []string{"rows", "own clusters", "factor", "clusters found", "index, own rows", "index, all rows", "silhouette"}
	if err := l.Table("fedgem-factor", header, rows); err != nil {
		return err
	}
	if err := l.Chart(index); err != nil {
		return err
	}
	return l.Chart(number)
}

// short formats a factor, large ones as 1e4.
func short(v float64) string {
	if v >= 1e4 {
		return strings.Replace(fmt.Sprintf("%.0e", v), "e+0", "e", 1)
	}
	return fmt.Sprintf("%g", v)
}

// byFactor returns the outcomes of the repeats, first with the chi-square radius and then with
// each factor. With chain, super-clusters are the connected components of overlapping regions.
func (p plan) byFactor(ctx context.Context, l *study.Lab, s set, chain bool) ([][]outcome, error) {
	name := s.name + " by factor"
	if chain {
		name += ", chained"
	}
	rules := []fedgem.Final{fedgem.ChiSquare{}}
	for _, v := range p.factors {
		rules = append(rules, fedgem.Factor{V: v})
	}
	out := make([][]outcome, len(rules))
	for seed := range uint64(p.again) {
		found, err := study.Cell(ctx, l, fmt.Sprintf("%s, repeat %d", name, seed+1), func(ctx context.Context) ([]outcome, error) {
			clients, _, err := s.deal(rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				return nil, err
			}
			return together(ctx, lockstep.Run, clients, fedgem.Config{Seed: seed, Chain: chain, Shared: &fedgem.Merges{}}, rules, nil)
		})
		if err != nil {
			return nil, err
		}
		for i, o := range found {
			out[i] = append(out[i], o)
		}
	}
	return out, nil
}

// lines returns the lines for the factors and, without chain, for the chi-square radius.
func lines(name string, chain bool, found [][]outcome, value func(outcome) float64) []plots.Line {
	byFactor, level := plots.Line{Name: name}, plots.Line{Name: name + ", chi-square"}
	without := over(found[0], value)
	for i, o := range found[1:] {
		f := over(o, value)
		byFactor.X, byFactor.Y, byFactor.Spread = append(byFactor.X, float64(i)), append(byFactor.Y, f.mean), append(byFactor.Spread, f.sd)
		level.X, level.Y = append(level.X, float64(i)), append(level.Y, without.mean)
	}
	if chain {
		byFactor.Name += ", chained"
		return []plots.Line{byFactor}
	}
	return []plots.Line{byFactor, level}
}
