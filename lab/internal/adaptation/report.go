package adaptation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// published is Table 1: the heterogeneity of the embeddings of sounds, by share of shuffled
// rows.
var published = map[float64]float64{0: 1784.4, 0.2: 980.0, 0.4: 550.5, 0.6: 271.0, 0.8: 91.8, 1: 19.9}

func report(l *study.Lab, p plan, all []*course) error {
	if err := heterogeneityTable(l, p, all); err != nil {
		return err
	}
	if err := accuracies(l, p, all); err != nil {
		return err
	}
	for _, c := range all {
		if err := c.chart(l, p); err != nil {
			return err
		}
	}
	return newcomers(l, p, all)
}

// heterogeneityTable writes Table 1 with the results of this study.
func heterogeneityTable(l *study.Lab, p plan, all []*course) error {
	header := []string{"shuffled"}
	for _, c := range all {
		header = append(header, c.set.name, "of that at 0")
	}
	var rows [][]string
	for _, s := range p.shuffles {
		row := []string{number(s)}
		for _, c := range all {
			now, before := study.Summarise(c.unlike[s]), study.Summarise(c.unlike[p.shuffles[0]])
			row = append(row, study.Spread(now, 2), study.Number(now.Mean/before.Mean, 3))
		}
		rows = append(rows, append(row, number(published[s]), study.Number(published[s]/published[0], 3)))
	}
	return l.Table("cgau-heterogeneity", append(header, "paper, sounds", "of that at 0"), rows)
}

// accuracies writes Fig. 2(b) as a table, with the number of repeats in which CGAU is ahead of
// the baseline. The accuracies in section 5 do not stand beside: they are for other embeddings and
// all ten classes of CIFAR-10.
func accuracies(l *study.Lab, p plan, all []*course) error {
	header := append([]string{"data", "shuffled"}, methods...)
	header = append(header, "CGAU less baseline", "repeats with CGAU ahead")
	var rows [][]string
	for _, c := range all {
		for _, s := range p.shuffles {
			row := []string{c.set.name, number(s)}
			for _, m := range methods {
				row = append(row, study.Spread(c.accuracy(m, s), 4))
			}
			var less []float64
			ahead := 0
			for i, o := range c.found[adapted][s] {
				less = append(less, o.Accuracy-c.found[baseline][s][i].Accuracy)
				if less[i] > 0 {
					ahead++
				}
			}
			row = append(row, study.Spread(study.Summarise(less), 4), fmt.Sprintf("%d of %d", ahead, len(less)))
			rows = append(rows, row)
		}
	}
	return l.Table("cgau-accuracy", header, rows)
}

func (c *course) accuracy(method string, shuffle float64) study.Summary {
	var values []float64
	for _, o := range c.found[method][shuffle] {
		values = append(values, o.Accuracy)
	}
	return study.Summarise(values)
}

// chart draws Fig. 2(b).
func (c *course) chart(l *study.Lab, p plan) error {
	chart := plots.Chart{
		Name: "cgau-" + strings.ToLower(c.set.name), Title: c.set.title() + ": rows classified by the models of ten participants",
		Subtitle: fmt.Sprintf("%d rounds, the best by held rows; means and standard deviations, repeats: %d", p.rounds, p.repeats),
		X:        "share of the rows that is shuffled", Y: "accuracy",
	}
	for _, s := range p.shuffles {
		chart.Places = append(chart.Places, number(s))
	}
	for _, m := range methods {
		line := plots.Line{Name: m}
		for i, s := range p.shuffles {
			v := c.accuracy(m, s)
			line.X, line.Y, line.Spread = append(line.X, float64(i)), append(line.Y, v.Mean), append(line.Spread, v.SD)
		}
		chart.Lines = append(chart.Lines, line)
	}
	return l.Chart(chart)
}

// newcomers writes the results of a participant that joins after nine others have trained.
func newcomers(l *study.Lab, p plan, all []*course) error {
	names := []string{baseline, adapted, meanCondition}
	header := []string{"data", "baseline", "CGAU, conditions 0", "CGAU, mean condition"}
	for _, n := range p.few {
		names, header = append(names, fitted(n)), append(header, "CGAU, "+fitted(n))
	}
	var rows [][]string
	for _, c := range all {
		row := []string{c.set.name}
		for _, name := range names {
			var values []float64
			for _, found := range c.newcomer {
				values = append(values, found[name])
			}
			row = append(row, study.Spread(study.Summarise(values), 4))
		}
		rows = append(rows, row)
	}
	return l.Table("cgau-newcomer", header, rows)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
