package oneshot

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// rounds writes Table 4: the mean number of rounds over repeats and levels.
func (r *runner) rounds() error {
	starts := []string{spread, shared, federated}
	header := []string{"data", synthetic}
	for _, name := range starts {
		header = append(header, name, name+" published")
	}
	header = append(header, "published for")
	var rows [][]string
	for i := range sets {
		s := &sets[i]
		row := []string{s.name, "1"}
		for which, name := range starts {
			var values []float64
			for _, level := range r.levels(s) {
				v, err := r.over(name, func(o Outcome) float64 { return float64(o.Rounds) }, func(repeat int) plan { return r.dealt(s, level, repeat) })
				if err != nil {
					return err
				}
				values = append(values, v.Mean)
			}
			row = append(row, study.Number(study.Summarise(values).Mean, 1), number(s.published[which]))
		}
		rows = append(rows, append(row, s.of))
	}
	return r.Table("rounds", header, rows)
}

// refine writes the number of rounds of sums until EM reaches the target of each trial, from
// one round of FedGenGMM and from the three starts.
func (r *runner) refine() error {
	from := []string{synthetic, reduced, spread, shared, federated}
	var rows [][]string
	for i := range sets {
		s := &sets[i]
		for _, x := range r.levels(s) {
			row := []string{s.name, s.scheme(), number(x)}
			for _, name := range from {
				text, err := r.reached(s, x, name)
				if err != nil {
					return err
				}
				row = append(row, text)
			}
			rows = append(rows, row)
		}
		if err := r.course(s, from); err != nil {
			return err
		}
	}
	return r.Table("refine", append([]string{"data", "split", "alpha"}, from...), rows)
}

// reached returns the median over repeats of the rounds of sums from a start to the target of
// the trial. If not all repeats reach it, it adds the number that do.
func (r *runner) reached(s *set, x float64, name string) (string, error) {
	var values []float64
	for repeat := range r.repeats() {
		all, err := r.cell(r.pooled(s, s.k, repeat))
		if err != nil {
			return "", err
		}
		found, err := r.cell(r.dealt(s, x, repeat))
		if err != nil {
			return "", err
		}
		values = append(values, firstAt(found[name].Trace, level(all[pooled], found[local])))
	}
	return median(values), nil
}

// median formats the median of rounds; +Inf means more rounds than were run.
func median(rounds []float64) string {
	slices.Sort(rounds)
	n := len(rounds)
	text := fmt.Sprintf("over %d", most)
	if v := (rounds[(n-1)/2] + rounds[n/2]) / 2; !math.IsInf(v, 1) {
		text = number(v)
	}
	if there := sort.SearchFloat64s(rounds, math.Inf(1)); there < n {
		text += fmt.Sprintf(" (%d of %d)", there, n)
	}
	return text
}

// firstAt returns the first round of a trace at a level, or +Inf if there is none.
func firstAt(trace []float64, level float64) float64 {
	for round, v := range trace {
		if v >= level {
			return float64(round)
		}
	}
	return math.Inf(1)
}

// shown is the number of rounds of sums in a chart of traces.
const shown = 20

// course draws the mean log-likelihood by round of sums, where it is not far below that of all
// rows in one place.
func (r *runner) course(s *set, from []string) error {
	all, err := r.over(pooled, loglik, func(repeat int) plan { return r.pooled(s, s.k, repeat) })
	if err != nil {
		return err
	}
	c := plots.Chart{
		Name: "refine-" + strings.ToLower(s.name), Title: s.name + ": rounds of sums after one round, or from the start",
		Subtitle: fmt.Sprintf("%s α = %g, %d participants; means, repeats: %d", s.scheme(), s.fixed, s.clients, r.repeats()),
		X:        "rounds of sums", Y: "mean log-likelihood, nats",
		Lines: []plots.Line{{Name: pooled, X: []float64{0, shown}, Y: []float64{all.Mean, all.Mean}}},
	}
	for _, name := range from {
		line := plots.Line{Name: name}
		for round := range shown + 1 {
			v, err := r.over(name, func(o Outcome) float64 { return o.Trace[min(round, len(o.Trace)-1)] }, func(repeat int) plan { return r.dealt(s, s.fixed, repeat) })
			if err != nil {
				return err
			}
			if v.Mean < all.Mean-s.far {
				v.Mean = math.NaN()
			}
			line.X, line.Y = append(line.X, float64(round)), append(line.Y, v.Mean)
		}
		c.Lines = append(c.Lines, line)
	}
	return r.Chart(c)
}
