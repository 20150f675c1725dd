package oneshot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// figure is a table, and one chart per set, of one value of the outcomes.
type figure struct {
	name, title string
	x, y        string // labels of the axes; x is "" for the heterogeneity of the set
	digits      int
	of          func(o Outcome) float64
	methods     []string
	cut         bool // charts leave out values far below the first method
	across      func(s *set) []float64
	plan        func(s *set, x float64, method string, repeat int) plan
}

func loglik(o Outcome) float64 { return o.LogLik }
func prauc(o Outcome) float64  { return o.PRAUC }

// heterogeneity writes Figs. 2 and 3.
func (r *runner) heterogeneity() error {
	f := figure{
		name: "loglik", title: "mean log-likelihood of all rows", y: "nats", digits: 2, of: loglik, cut: true,
		methods: append([]string{pooled}, methods...), across: r.levels,
		plan: func(s *set, x float64, method string, repeat int) plan {
			if method == pooled {
				return r.pooled(s, s.k, repeat)
			}
			return r.dealt(s, x, repeat)
		},
	}
	if err := r.figure(f); err != nil {
		return err
	}
	f.name, f.title, f.y, f.digits, f.of, f.cut = "prauc", "anomalies found", "area under precision and recall", 3, prauc, false
	return r.figure(f)
}

// clients writes Fig. 4.
func (r *runner) clients() error {
	return r.figure(figure{
		name: "clients", title: "anomalies found by number of participants", x: "participants", y: "area under precision and recall", digits: 3, of: prauc,
		methods: append([]string{pooled}, methods...),
		across: func(s *set) (xs []float64) {
			for _, n := range r.crowds(s) {
				xs = append(xs, float64(n))
			}
			return xs
		},
		plan: func(s *set, x float64, method string, repeat int) plan {
			if method == pooled {
				return r.pooled(s, s.k, repeat)
			}
			return r.crowd(s, int(x), repeat)
		},
	})
}

// constrained writes Fig. 5.
func (r *runner) constrained() error {
	return r.figure(figure{
		name: "constrained", title: "anomalies found by participants' components", x: "components at a participant", y: "area under precision and recall", digits: 3, of: prauc,
		methods: []string{pooled, synthetic, reduced, federated},
		across: func(*set) (xs []float64) {
			for _, k := range r.small() {
				xs = append(xs, float64(k))
			}
			return xs
		},
		plan: func(s *set, x float64, method string, repeat int) plan {
			if method == pooled {
				return r.pooled(s, large, repeat)
			}
			return r.smaller(s, int(x), repeat)
		},
	})
}

func (r *runner) figure(f figure) error {
	var rows [][]string
	for i := range sets {
		s := &sets[i]
		xs := f.across(s)
		if len(xs) == 0 {
			continue
		}
		lines := make([]plots.Line, len(f.methods))
		for _, x := range xs {
			row := []string{s.name, s.scheme(), number(s.fixed), number(x)}
			if f.x == "" {
				row[2] = number(x)
			}
			for m, method := range f.methods {
				v, err := r.over(method, f.of, func(repeat int) plan { return f.plan(s, x, method, repeat) })
				if err != nil {
					return err
				}
				row = append(row, study.Spread(v, f.digits))
				lines[m].Name = method
				lines[m].X, lines[m].Y, lines[m].Spread = append(lines[m].X, x), append(lines[m].Y, v.Mean), append(lines[m].Spread, v.SD)
			}
			rows = append(rows, row)
		}
		if err := r.Chart(f.chart(s, lines, r.repeats())); err != nil {
			return err
		}
	}
	header := []string{"data", "split", "alpha", f.x}
	if f.x == "" {
		header = header[:3]
		for i, row := range rows {
			rows[i] = append(row[:3], row[4:]...)
		}
	}
	return r.Table(f.name, append(header, f.methods...), rows)
}

func (f figure) chart(s *set, lines []plots.Line, repeats int) plots.Chart {
	c := plots.Chart{Name: f.name + "-" + strings.ToLower(s.name), Title: s.name + ": " + f.title, X: f.x, Y: f.y}
	c.Subtitle = fmt.Sprintf("%d participants; means and standard deviations, repeats: %d", s.clients, repeats)
	switch {
	case f.x == "":
		c.X = map[bool]string{true: "α of the Dirichlet split", false: "classes of each participant"}[s.scheme() == "dirichlet"]
	case f.name == "constrained":
		c.Subtitle = fmt.Sprintf("%d participants, repeats: %d; %d shared components, by DEM as many as local", s.clients, repeats, large)
	case f.name == "clients":
		c.Doubling = true
		c.Subtitle = fmt.Sprintf("%s α = %g; means and standard deviations, repeats: %d", s.scheme(), s.fixed, repeats)
	}
	if f.cut {
		c.Subtitle += fmt.Sprintf("; not shown: over %g below pooled", s.far)
	}
	for i, x := range lines[0].X {
		if !c.Doubling {
			c.Places = append(c.Places, number(x))
		}
		for _, l := range lines {
			if !c.Doubling {
				l.X[i] = float64(i)
			}
			if f.cut && l.Y[i] < lines[0].Y[i]-s.far {
				l.Y[i] = math.NaN()
			}
		}
	}
	c.Lines = lines
	return c
}

// over summarises a value of a method over all repeats.
func (r *runner) over(method string, of func(Outcome) float64, p func(repeat int) plan) (study.Summary, error) {
	var values []float64
	for repeat := range r.repeats() {
		found, err := r.cell(p(repeat))
		if err != nil {
			return study.Summary{}, err
		}
		values = append(values, of(found[method]))
	}
	return study.Summarise(values), nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
