package together

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// results holds outcomes by fold, variant and method.
type results struct {
	folds   []fold
	rows    map[fold][]int // training rows of each participant, for all sizes
	cells   map[cell]outcome
	outside bool // there are baselines
}

type cell struct {
	fold
	variant, method string
}

func (r *results) enter(f fold, rows []int) {
	if r.rows == nil {
		r.rows, r.cells = map[fold][]int{}, map[cell]outcome{}
	}
	r.folds, r.rows[f] = append(r.folds, f), rows
}

func (r *results) add(f fold, variant, method string, o outcome) {
	r.cells[cell{f, variant, method}] = o
}

func (r *results) methods(p plan) []string {
	if r.outside {
		return slices.Concat(p.Methods, baselines)
	}
	return p.Methods
}

// figure is a quantity to compare.
type figure struct {
	name string
	of   func(o outcome) float64
}

var (
	roc     = figure{"ROC-AUC", func(o outcome) float64 { return mean(o.ROC) }}
	pr      = figure{"PR-AUC", func(o outcome) float64 { return mean(o.PR) }}
	curves  = []figure{roc, pr}
	seconds = figure{"seconds", func(o outcome) float64 { return o.Seconds }}
	falsely = figure{"false alarms", func(o outcome) float64 { return o.Above }}
	loglik  = figure{"ln p", func(o outcome) float64 {
		if o.Loglik == nil {
			return math.NaN()
		}
		return *o.Loglik
	}}
)

// mean returns NaN for no values.
func mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// of returns the mean of a figure over the seeds of a set, or NaN if one of them is missing.
func (r *results) of(p plan, f fold, variant, method string, what figure) float64 {
	if slices.Contains(baselines, method) {
		variant = ""
	}
	sum := 0.0
	for seed := range p.Seeds {
		f.seed = seed + 1
		o, ok := r.cells[cell{f, variant, method}]
		if !ok {
			return math.NaN()
		}
		sum += what.of(o)
	}
	return sum / float64(p.Seeds)
}

// group selects the values of a mean: families with a set of the given size, dealt in the given
// way, or in any way if that is empty.
type group struct {
	size int
	way  string
}

// label returns the first cells of a table's line.
func (g group) label() []string { return []string{sizeName(g.size), cmp.Or(g.way, "all")} }

func (p plan) groups() (out []group) {
	for _, size := range p.Sizes {
		for _, way := range []string{"", natural, clusters, evenly} {
			out = append(out, group{size, way})
		}
	}
	return out
}

// foldsOf returns the folds of a family in a group, without a seed.
func (r *results) foldsOf(f family, g group) (out []fold) {
	for _, s := range f.sets {
		for _, way := range s.ways() {
			if at := (fold{set: s.name, way: way, size: g.size}); r.has(at) && (g.way == "" || g.way == way) {
				out = append(out, at)
			}
		}
	}
	return out
}

// ofFamily returns the mean over the folds of a family in a group.
func (r *results) ofFamily(p plan, f family, g group, variant, method string, what figure) float64 {
	var values []float64
	for _, at := range r.foldsOf(f, g) {
		values = append(values, r.of(p, at, variant, method, what))
	}
	return mean(values)
}

// has reports whether a set has results of this size, for its first seed.
func (r *results) has(f fold) bool {
	f.seed = 1
	return r.rows[f] != nil
}

func sizeName(size int) string {
	if size == 0 {
		return "all"
	}
	return fmt.Sprint(size)
}

func (p plan) report(l *study.Lab, r results) error {
	for _, table := range []func(*study.Lab, results) error{p.sets, p.training, p.means, p.differences, p.verdicts} {
		if err := table(l, r); err != nil {
			return err
		}
	}
	return nil
}

// bySet writes a table with one line per size, set and way.
func (p plan) bySet(l *study.Lab, r results, name string, methods []string, figures []figure, digits int) error {
	var rows [][]string
	for _, size := range p.Sizes {
		for _, f := range p.families {
			for _, s := range f.sets {
				for _, way := range s.ways() {
					at := fold{set: s.name, way: way, size: size}
					if !r.has(at) {
						continue
					}
					for _, v := range p.Variants {
						row := []string{sizeName(size), f.name, s.name, way, r.between(at), v.Name}
						for _, what := range figures {
							for _, m := range methods {
								row = append(row, study.Number(r.of(p, at, v.Name, m, what), digits))
							}
						}
						rows = append(rows, row)
					}
				}
			}
		}
	}
	return l.Table(p.name+"-"+name, append([]string{"rows", "family", "data", "dealt", "own", "settings"}, columns(figures, methods)...), rows)
}

// between returns the fewest and the most training rows of a participant, for the first seed.
func (r *results) between(f fold) string {
	f.seed = 1
	low, high := slices.Min(r.rows[f]), slices.Max(r.rows[f])
	if f.size > 0 {
		low, high = min(low, f.size), min(high, f.size)
	}
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d-%d", low, high)
}

func columns(figures []figure, methods []string) (out []string) {
	for _, what := range figures {
		for _, m := range methods {
			out = append(out, what.name+" "+m)
		}
	}
	return out
}

func (p plan) sets(l *study.Lab, r results) error {
	return p.bySet(l, r, "sets", r.methods(p), curves, 3)
}

func (p plan) training(l *study.Lab, r results) error {
	return p.bySet(l, r, "training", p.Methods, []figure{loglik, falsely, seconds}, 3)
}

// means writes the means over families. Each family counts once.
func (p plan) means(l *study.Lab, r results) error {
	var rows [][]string
	for _, g := range p.groups() {
		families := p.of(r, g)
		for _, v := range p.Variants {
			if len(families) == 0 {
				continue
			}
			row := append(g.label(), v.Name, fmt.Sprint(len(families)))
			for _, what := range curves {
				for _, m := range r.methods(p) {
					var values []float64
					for _, f := range families {
						values = append(values, r.ofFamily(p, f, g, v.Name, m, what))
					}
					row = append(row, study.Number(mean(values), 4))
				}
			}
			rows = append(rows, row)
		}
	}
	return l.Table(p.name+"-means", append([]string{"rows", "dealt", "settings", "families"}, columns(curves, r.methods(p))...), rows)
}

// of returns the families with folds in the group.
func (p plan) of(r results, g group) (out []family) {
	for _, f := range p.families {
		if len(r.foldsOf(f, g)) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// differences compares learning together with other methods and with other settings.
func (p plan) differences(l *study.Lab, r results) error {
	var rows [][]string
	for _, g := range p.groups() {
		for _, what := range curves {
			for i, v := range p.Variants {
				for _, m := range r.methods(p) {
					if m != together {
						rows = p.difference(rows, r, g, what, v.Name, v.Name, m, together+" - "+m)
					}
				}
				if i > 0 {
					rows = p.difference(rows, r, g, what, v.Name, p.Variants[0].Name, together, together+" - "+p.Variants[0].Name)
				}
			}
		}
	}
	return l.Table(p.name+"-differences", []string{"rows", "dealt", "figure", "settings", "difference", "families", "mean", "low", "high"}, rows)
}

// difference adds a line, unless one side has no values.
func (p plan) difference(rows [][]string, r results, g group, what figure, variant, than, method, name string) [][]string {
	var values []float64
	for _, f := range p.of(r, g) {
		d := r.ofFamily(p, f, g, variant, together, what) - r.ofFamily(p, f, g, than, method, what)
		if !math.IsNaN(d) {
			values = append(values, d)
		}
	}
	if len(values) == 0 {
		return rows
	}
	mean, low, high := interval(values)
	row := append(g.label(), what.name, variant, name, fmt.Sprint(len(values)))
	for _, v := range []float64{mean, low, high} {
		row = append(row, study.Number(v, 4))
	}
	return append(rows, row)
}
