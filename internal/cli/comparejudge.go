package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"gonum.org/v1/gonum/mat"
)

// judge compares what both models say of the rows.
func (c *comparison) judge() error {
	if c.Rows = len(c.Old.scores); c.Rows == 0 || !slices.Equal(c.Old.numbers, c.New.numbers) {
		return &flagError{"data", fmt.Sprintf("want rows that both models score, got %d and %d", c.Rows, len(c.New.scores)), ""}
	}
	c.leaveOutKnown()
	for i, of := range c.Old.isAnomaly {
		if c.counts(i) {
			c.Old.Anomalies += one(of)
			c.New.Anomalies += one(c.New.isAnomaly[i])
			c.Both += one(of && c.New.isAnomaly[i])
		}
	}
	if slices.Contains(c.Old.isFault, true) {
		c.byFaults()
		return nil
	}
	return c.byExchange()
}

// counts reports whether a row counts.
func (c *comparison) counts(row int) bool { return c.leftOut == nil || !c.leftOut[row] }

// leaveOutKnown leaves out the rows that a model was trained on if it was trained on many of them, as the
// better scores there are no merit.
func (c *comparison) leaveOutKnown() {
	known := make([]bool, c.Rows)
	for _, m := range []*comparedModel{&c.Old, &c.New} {
		if !m.knownRows.Many() {
			continue
		}
		c.leftOut, m.Known = known, m.knownRows.Known
		for i, is := range m.isKnown {
			known[i] = known[i] || is
		}
	}
	c.Judged = c.Rows
	for _, is := range c.leftOut {
		c.Judged -= one(is)
	}
}

// noteKnown says which rows do not count.
func (c *comparison) noteKnown(a *app, name string) {
	var parts []string
	for _, m := range []struct {
		name string
		of   *comparedModel
	}{{"old", &c.Old}, {"new", &c.New}} {
		if m.of.Known > 0 {
			parts = append(parts, fmt.Sprintf("the %s model was trained on %d of the rows", m.name, m.of.Known))
		}
	}
	if parts != nil {
		a.note("%s%s, so only the other %d count", name, strings.Join(parts, ", and "), c.Judged)
	}
}

// byFaults judges by the faults that the models find.
func (c *comparison) byFaults() {
	p := metrics.Faults(c.New.scores, c.Old.scores, c.Old.isFault, c.leftOut)
	v := &report.Verdict{By: report.ByFaults, Rows: len(p.Anomalies[0])}
	c.take(v, p)
	found := p.Found(c.falseAlarm)
	c.Faults, c.New.Found, c.Old.Found = &v.Rows, &found[0], &found[1]
	c.byThresholds()
}

// byFalseAlarms is a value of comparison.By.
const byFalseAlarms = "false_alarms"

// sameAlarms is the difference of shares of false alarms below which it does not matter.
const sameAlarms = 0.02

// byThresholds says which faults and how many false alarms there are by the thresholds of the models. If faults do
// not show a better model, and both find the same, false alarms decide.
func (c *comparison) byThresholds() {
	if !c.Old.Threshold.Defined || !c.New.Threshold.Defined {
		return
	}
	p := metrics.Faults(flags(c.New.isAnomaly), flags(c.Old.isAnomaly), c.Old.isFault, c.leftOut)
	var isFound [2][]bool // of each fault
	for k, m := range []*comparedModel{&c.New, &c.Old} {
		found, alarms := 0, 0
		rest := p.Anomalies[k]
		for _, n := range p.AnomalyGroups {
			is := slices.Contains(rest[:n], 1)
			isFound[k], rest = append(isFound[k], is), rest[n:]
			found += one(is)
		}
		for _, v := range p.Normals[k] {
			alarms += int(v)
		}
		m.Events, m.FalseAlarms = &found, &alarms
	}
	events, others := len(p.AnomalyGroups), len(p.Normals[0])
	c.Events = &events
	decided := c.Better == "old" || c.Better == "new"
	if decided || !slices.Equal(isFound[0], isFound[1]) || *c.New.Events == 0 {
		c.Why += fmt.Sprintf("; by their thresholds, the new one finds %d of %s with %s in %d other rows, and the old one %d with %d",
			*c.New.Events, count(events, "fault"), count(*c.New.FalseAlarms, "false alarm"), others, *c.Old.Events, *c.Old.FalseAlarms)
		return
	}
	gain, half, ok := p.NormalDifference()
	if !ok {
		return
	}
	same := ""
	if *c.New.Events < events {
		same = "the same "
	}
	c.Why = fmt.Sprintf("both find %s%d of %s; the new one has %s in %d other rows, and the old one %d",
		same, *c.New.Events, count(events, "fault"), count(*c.New.FalseAlarms, "false alarm"), others, *c.Old.FalseAlarms)
	switch {
	case gain < -half:
		c.By, c.Better = byFalseAlarms, "new"
	case gain > half:
		c.By, c.Better = byFalseAlarms, "old"
	case max(gain, -gain)+half < sameAlarms:
		c.By, c.Better = byFalseAlarms, report.Same
	default:
		c.Why += ", which may be chance"
	}
}

// flags returns 1 for true.
func flags(of []bool) []float64 {
	out := make([]float64, len(of))
	for i, is := range of {
		out[i] = float64(one(is))
	}
	return out
}

// byExchange judges by copies of the rows that count, in which one value is another row's.
func (c *comparison) byExchange() error {
	var counting []int
	for i := range c.Rows {
		if c.counts(i) {
			counting = append(counting, i)
		}
	}
	taken := rows.Drawn(len(counting), min(len(counting), pipeline.MostExchanged), 0)
	for i, at := range taken {
		taken[i] = counting[at]
	}
	p := metrics.Faults(c.New.scores, c.Old.scores, make([]bool, c.Rows), c.leftOut)
	p.AnomalyGroups = metrics.Groups(len(taken)*pipeline.Copies, min(len(taken), len(p.NormalGroups)))
	if len(taken) > 0 {
		exchanged, err := c.exchanged(taken)
		if err != nil {
			return err
		}
		p.Anomalies = exchanged
	}
	c.take(&report.Verdict{By: report.ByExchanged, Rows: len(taken)}, p)
	return nil
}

// exchanged returns the scores of rows with exchanged values by the new and the old model. It reads these rows
// again, in the columns of both.
func (c *comparison) exchanged(taken []int) (scores [2][]float64, err error) {
	models := []*comparedModel{&c.New, &c.Old}
	var columns []string
	var parts []*mat.Dense
	for _, of := range models {
		x, err := of.read(taken)
		if err != nil {
			return scores, err
		}
		for j, name := range of.m.Manifest.Columns {
			if !slices.Contains(columns, name) {
				columns, parts = append(columns, name), append(parts, mat.DenseCopyOf(x.Slice(0, len(taken), j, j+1)))
			}
		}
	}
	all, every := mat.NewDense(len(taken), len(columns), nil), make([]int, len(taken))
	for j, part := range parts {
		all.SetCol(j, part.RawMatrix().Data)
	}
	for i := range every {
		every[i] = i
	}
	copies := pipeline.Exchanged(all, every, all, rand.New(rand.NewPCG(0, 0)))
	n, _ := copies.Dims()
	for k, of := range models {
		x := mat.NewDense(n, len(of.m.Manifest.Columns), nil)
		for j, name := range of.m.Manifest.Columns {
			x.SetCol(j, mat.Col(nil, slices.Index(columns, name), copies))
		}
		if scores[k], err = of.m.Scores(of.m.Trained(x)); err != nil {
			return scores, err
		}
		infinite(scores[k])
	}
	return scores, nil
}

// read reads some of the rows again, given by ascending places, in the columns of the model.
func (m *comparedModel) read(places []int) (*mat.Dense, error) {
	var values []float64
	at, next := 0, 0
	scanned := m.spec
	scanned.Label = ""
	_, err := dataset.Scan(scanned, func([]string) error { return nil }, func(b dataset.Block) error {
		for i := range b.Numbers {
			if b.Empty[i] {
				continue
			}
			if next < len(places) && places[next] == at {
				values = append(values, b.X.RawRowView(i)...)
				next++
			}
			at++
		}
		return nil
	})
	if err == nil && next < len(places) {
		err = &flagError{"data", "the rows have changed meanwhile", "compare them again"}
	}
	if err != nil {
		return nil, err
	}
	return mat.NewDense(len(places), len(values)/len(places), values), nil
}

// take takes a verdict on the scores of the new and the old model.
func (c *comparison) take(v *report.Verdict, p *metrics.Paired) {
	if !v.Judge(p, c.falseAlarm) || v.By == report.ByExchanged && !v.Error.Defined {
		c.Why = fmt.Sprintf("%s count, and at least 2 that are no faults are needed", count(c.Judged, "row"))
		return
	}
	areas, _, _ := p.AUC()
	c.By, c.Error = v.By, v.Error
	c.New.ROCAUC, c.Old.ROCAUC = report.Of(areas[0]), report.Of(areas[1])
	c.Better = map[string]string{report.ByTogether: "new", report.ByAlone: "old", report.Same: report.Same}[v.Better]
	c.Why = "the new one " + v.Figures("the old one", "rows")
	if n := v.Needed(len(p.Normals[0])); v.Better == "" && n > 0 {
		c.Why += fmt.Sprintf("; about %d rows would show a difference that matters", n)
	}
}
