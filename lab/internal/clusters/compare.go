package clusters

import (
	"context"
	"math"

	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// compare clusters every set by all methods, and writes the results beside the published ones.
func (p plan) compare(ctx context.Context, l *study.Lab) error {
	all := make([]map[method][]outcome, len(p.sets))
	for i, s := range p.sets {
		all[i] = map[method][]outcome{}
		for seed := range uint64(p.repeats) {
			found, err := repeat(ctx, l, s, seed)
			if err != nil {
				return err
			}
			for m, o := range found {
				all[i][m] = append(all[i][m], o)
			}
		}
	}
	header := []string{
		"rows", "method", "clusters", "clusters found", "index, own rows", "index, all rows", "silhouette",
		"published index (a)", "published index (b)", "published clusters (a)", "published clusters (b)",
	}
	var rows [][]string
	for i, s := range p.sets {
		for _, m := range methods {
			if o := all[i][m]; o != nil {
				rows = append(rows, row(s, m, o))
			}
		}
	}
	if err := l.Table("fedgem", header, rows); err != nil {
		return err
	}
	return l.Chart(found(p.sets, all))
}

func row(s set, m method, all []outcome) []string {
	a, b := of(0, s.name, m), of(1, s.name, m)
	out := append([]string{s.name, string(m), study.Number(float64(s.classes), 0)}, columns(all)...)
	return append(out, with(a.index, 3), with(b.index, 3), with(a.clusters, 2), with(b.clusters, 2))
}

// columns returns the number of clusters, both indices and the silhouette.
func columns(all []outcome) []string {
	return []string{
		with(over(all, func(o outcome) float64 { return float64(o.Clusters) }), 1),
		with(over(all, func(o outcome) float64 { return o.Own }), 3),
		with(over(all, func(o outcome) float64 { return o.All }), 3),
		with(over(all, func(o outcome) float64 { return o.Silhouette }), 3),
	}
}

// over returns the mean of a value of outcomes over the repeats.
func over(all []outcome, value func(outcome) float64) figure {
	values := make([]float64, len(all))
	for i, o := range all {
		values[i] = value(o)
	}
	s := study.Summarise(values)
	return figure{s.Mean, s.SD}
}

// with formats a mean, with its standard deviation if it has one.
func with(f figure, digits int) string {
	out := study.Number(f.mean, digits)
	if !math.IsNaN(f.sd) {
		out += " ± " + study.Number(f.sd, digits)
	}
	return out
}

// found returns the chart of the numbers of clusters by set.
func found(sets []set, all []map[method][]outcome) plots.Chart {
	c := plots.Chart{
		Name: "fedgem-clusters", Title: "How many clusters are found",
		Subtitle: "Mean and standard deviation over the repeats; the number is known to none of these methods",
		Y:        "clusters", Apart: true, Decades: true,
	}
	line := func(name string, value func(i int, s set) figure) {
		l := plots.Line{Name: name}
		for i, s := range sets {
			f := value(i, s)
			l.X, l.Y, l.Spread = append(l.X, float64(i)), append(l.Y, f.mean), append(l.Spread, f.sd)
		}
		c.Lines = append(c.Lines, l)
	}
	for _, s := range sets {
		c.Places = append(c.Places, s.name)
	}
	line("true number", func(_ int, s set) figure { return figure{float64(s.classes), 0} })
	for _, m := range []method{chiSquare, chosen, published, process} {
		line(string(m), func(i int, _ set) figure {
			return over(all[i][m], func(o outcome) float64 { return float64(o.Clusters) })
		})
	}
	line("FedGEM, published (a)", func(_ int, s set) figure { return of(0, s.name, published).clusters })
	line("FedGEM, published (b)", func(_ int, s set) figure { return of(1, s.name, published).clusters })
	return c
}
