package machines

import (
	"fmt"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// results holds outcomes by set, trial and way, one per seed.
type results map[[3]string][]outcome

func (r results) add(set, trial, way string, o outcome) {
	k := [3]string{set, trial, way}
	r[k] = append(r[k], o)
}

// of returns the mean over participants, summarised over seeds.
func (r results) of(set, trial, way string, figure func(o outcome) []float64) study.Summary {
	var values []float64
	for _, o := range r[[3]string{set, trial, way}] {
		values = append(values, mean(figure(o)))
	}
	return study.Summarise(values)
}

// names returns the names of the participants of a set.
func (r results) names(s *set) []string { return r[[3]string{s.name, graphs, alone}][0].Names }

// cell formats the summary of of, or returns "" if there is none.
func (r results) cell(set, trial, way string, digits int, figure func(o outcome) []float64) string {
	if s := r.of(set, trial, way, figure); s.N > 0 {
		return study.Spread(s, digits)
	}
	return ""
}

func roc(o outcome) []float64 { return o.ROC }
func pr(o outcome) []float64  { return o.PR }

func (p plan) report(l *study.Lab, found results) error {
	for _, table := range []func(*study.Lab, results) error{p.areas, p.densities, p.settings, p.participants} {
		if err := table(l, found); err != nil {
			return err
		}
	}
	for _, s := range p.sets {
		if err := l.Chart(p.areasChart(s, found)); err != nil {
			return err
		}
		if err := l.Chart(p.curves(s, found)); err != nil {
			return err
		}
	}
	return nil
}

// areas writes the areas under the curves: alone, together and pooled.
func (p plan) areas(l *study.Lab, found results) error {
	header := []string{"data", "model"}
	for _, area := range []string{"PR-AUC", "ROC-AUC"} {
		for _, way := range ways {
			header = append(header, area+" "+way)
		}
	}
	var rows [][]string
	for _, s := range p.sets {
		for _, t := range p.trials {
			if t.kind == setting {
				continue
			}
			row := []string{s.name, t.name}
			for _, area := range []func(outcome) []float64{pr, roc} {
				for _, way := range ways {
					row = append(row, found.cell(s.name, t.name, way, 3, area))
				}
			}
			rows = append(rows, row)
		}
	}
	return l.Table("mtvae-areas", header, rows)
}

// densities writes how well the models fit the rows, and how that affects detection.
func (p plan) densities(l *study.Lab, found results) error {
	// Medians over participants, because densities of a participant with columns that are
	// constant in training have another order of magnitude.
	middle := func(values []float64) []float64 { return []float64{quantile(values, 0.5)} }
	figures := []func(outcome) []float64{
		func(o outcome) []float64 { return middle(o.Held) },
		func(o outcome) []float64 { return middle(o.HeldMedian) },
		func(o outcome) []float64 { return middle(o.Normal) },
		func(o outcome) []float64 { return middle(o.NormalLow) },
		func(o outcome) []float64 { return middle(o.Anomalies) },
	}
	var rows [][]string
	for _, s := range p.sets {
		for _, t := range p.trials {
			if t.kind != compared {
				continue
			}
			for _, way := range t.ways {
				row := []string{s.name, t.name, way}
				for _, f := range figures {
					row = append(row, found.cell(s.name, t.name, way, 1, f))
				}
				row = append(row, found.cell(s.name, t.name, way, 3, func(o outcome) []float64 { return o.PRLik }))
				rows = append(rows, append(row, found.cell(s.name, t.name, way, 3, pr)))
			}
		}
	}
	return l.Table("mtvae-densities", []string{
		"data", "model", "way", "ln p held", "median", "normal test rows, median", "their 5 % quantile", "anomalies, median", "PR-AUC by -ln p", "by the paper's score",
	}, rows)
}

// settings writes the effect of settings of the auto-encoder, trained together.
func (p plan) settings(l *study.Lab, found results) error {
	var rows [][]string
	for _, s := range p.sets {
		for _, t := range p.trials {
			if t.change == nil || t.kind == units {
				continue
			}
			row := []string{s.name, t.name}
			for _, f := range []struct {
				digits int
				of     func(o outcome) []float64
			}{
				{3, pr},
				{3, roc},
				{3, func(o outcome) []float64 { return o.PRLik }},
				{2, func(o outcome) []float64 { return o.HeldMedian }},
				{2, func(o outcome) []float64 { return o.Information }},
				{1, func(o outcome) []float64 { return o.Active }},
				{2, func(o outcome) []float64 { return o.Explained }},
				{2, func(o outcome) []float64 { return o.ExplainedNormal }},
				{2, func(o outcome) []float64 { return o.ExplainedAnomalies }},
			} {
				row = append(row, found.cell(s.name, t.name, together, f.digits, f.of))
			}
			rung, clipped, encoders := 0, 0, 0
			for _, o := range found[[3]string{s.name, t.name, together}] {
				rung, clipped, encoders = rung+o.Collapsed, clipped+o.Clipped, encoders+len(o.Information)
			}
			rows = append(rows, append(row, fmt.Sprintf("%d of %d", clipped, encoders), fmt.Sprintf("%d of %d", rung, encoders)))
		}
	}
	return l.Table("mtvae-settings", []string{
		"data", "setting", "PR-AUC", "ROC-AUC", "PR-AUC by -ln p", "ln p held, median", "information", "active", "explained of held rows", "of normal test rows", "of anomalies", "clipped", "alarms",
	}, rows)
}

// participants writes the results of each participant, and what limits them: normal test rows
// that are less likely than anomalies.
func (p plan) participants(l *study.Lab, found results) error {
	header := []string{"data", "participant"}
	models := []string{gradients, collapsed, graphs}
	for _, model := range models {
		for _, way := range ways {
			header = append(header, "PR-AUC "+model+" "+way)
		}
	}
	for _, model := range models {
		header = append(header, "ln p of normal rows, 5 % quantile, "+model, "of anomalies, median")
	}
	var rows [][]string
	for _, s := range p.sets {
		for i, name := range found.names(s) {
			row := []string{s.name, name}
			cell := func(model, way string, digits int, of func(o outcome) []float64) {
				row = append(row, found.cell(s.name, model, way, digits, func(o outcome) []float64 { return of(o)[i : i+1] }))
			}
			for _, model := range models {
				for _, way := range ways {
					cell(model, way, 3, pr)
				}
			}
			for _, model := range models {
				cell(model, together, 0, func(o outcome) []float64 { return o.NormalLow })
				cell(model, together, 0, func(o outcome) []float64 { return o.Anomalies })
			}
			rows = append(rows, row)
		}
	}
	return l.Table("mtvae-participants", header, rows)
}
