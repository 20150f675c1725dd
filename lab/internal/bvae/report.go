package bvae

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// number is a result in the thesis: its text has test losses and gains over FedAvg, in percent,
// for some runs.
type number struct {
	set, scenario       string
	effect              float64
	second, final, gain float64 // 0 if not published
}

// published are the numbers in sections 4.2 and 5.
var published = []number{
	{"MNIST", "NIID-1", 0, 0, 517.35, 0},
	{"MNIST", "NIID-1", 0.9, 0, 539.68, 0},
	{"MNIST", "NIID-2", 0, 0, 551.49, 0},
	{"MNIST", "NIID-2", 0.1, 0, 550.01, 0},
	{"MNIST", "NIID-2", 0.5, 0, 548.53, 0.56},
	{"MNIST", "NIID-2", 0.9, 0, 522.61, 5.40},
	{"Fashion-MNIST", "NIID-1", 0, 526.24, 0, 0},
	{"Fashion-MNIST", "NIID-1", 0.9, 479.71, 0, 0},
	{"Fashion-MNIST", "NIID-2", 0, 603.98, 0, 0},
	{"Fashion-MNIST", "NIID-2", 0.5, 467.84, 0, 6.19},
	{"Fashion-MNIST", "NIID-2", 0.9, 464.90, 0, 6.76},
}

func thesis(set, scenario string, effect float64) number {
	for _, n := range published {
		if n.set == set && n.scenario == scenario && n.effect == effect {
			return n
		}
	}
	return number{}
}

// rings returns the losses of the thesis for a chart with the given number of rounds.
func (n number) rings(rounds int) plots.Line {
	line := plots.Line{Published: true}
	if n.effect == 0 {
		line.Name = "rings: thesis"
	}
	for _, at := range [][2]float64{{2, n.second}, {25, n.final}} {
		if at[1] > 0 && at[0] <= float64(rounds) {
			line.X, line.Y = append(line.X, at[0]), append(line.Y, at[1])
		}
	}
	return line
}

// losses writes one line per effect.
func (p plan) losses(l *study.Lab, all []course) error {
	header := []string{
		"images", "members", "weights", "trials", "not defined", "without weight",
		"loss, round 2", fmt.Sprintf("loss, round %d", p.rounds), "gain %",
		"at β = 1, round 2", "thesis", fmt.Sprintf("at β = 1, round %d", p.rounds), "thesis, round 25", "gain at β = 1, %", "thesis, gain %",
	}
	var rows [][]string
	for _, c := range all {
		for i, effect := range effects {
			of, undefined, none := thesis(c.set.name, c.scenario.name, effect), 0, []float64{}
			for _, o := range c.runs[i] {
				if len(o.Losses) == 0 {
					undefined++
					continue
				}
				none = append(none, o.withoutWeight())
			}
			second := min(2, p.rounds)
			rows = append(rows, []string{
				c.set.name, c.scenario.name, weightsOf(effect), fmt.Sprint(len(c.runs[i])), fmt.Sprint(undefined), mean(none, 1),
				mean(c.after(total, i, second), 2), mean(c.after(total, i, p.rounds), 2), gainOf(effect, c.gains(total, i, p.rounds)),
				mean(c.after(atOne, i, second), 2), known(of.second), mean(c.after(atOne, i, p.rounds), 2), known(of.final),
				gainOf(effect, c.gains(atOne, i, p.rounds)), known(of.gain),
			})
		}
	}
	return l.Table("bvae", header, rows)
}

// members writes one line per member and trial.
func members(l *study.Lab, all []course) error {
	header := []string{"images", "members", "trial", "member", "rows", "discrepancy"}
	for _, effect := range effects {
		header = append(header, "weight, "+weightsOf(effect))
	}
	var rows [][]string
	for _, c := range all {
		for trial, o := range c.runs[0] {
			for i, m := range o.Members {
				row := []string{
					c.set.name, c.scenario.name, fmt.Sprint(trial + 1), fmt.Sprint(i + 1), fmt.Sprint(m.Rows),
					study.Number(c.runs[1][trial].Members[i].Discrepancy, 4),
				}
				for e := range effects {
					weight := study.Number(c.runs[e][trial].Members[i].Weight, 4)
					if len(c.runs[e][trial].Losses) == 0 {
						weight = ""
					}
					row = append(row, weight)
				}
				rows = append(rows, row)
			}
		}
	}
	return l.Table("bvae-members", header, rows)
}

// count converts a loss: with the factor used in training, or with 1, which the thesis appears
// to use.
type count func(beta.Loss) float64

func total(l beta.Loss) float64 { return l.Total }

func atOne(l beta.Loss) float64 { return l.Squares + l.Divergence }

func (c course) chart(l *study.Lab) error {
	chart := plots.Chart{
		Name:  strings.ToLower("bvae-" + c.set.name + "-" + c.scenario.name),
		Title: "Loss of test images: " + c.set.name + ", " + c.scenario.name, X: "round", Y: "squared errors + divergence",
		Subtitle: "β-VAEs by averages of models, weighted by rows (FedAvg) or less the farther encoded images are from the prior",
	}
	for i, effect := range effects {
		line := plots.Line{Name: weightsOf(effect)}
		for round := 1; ; round++ {
			s := study.Summarise(c.after(atOne, i, round))
			if s.N == 0 {
				break
			}
			line.X, line.Y, line.Spread = append(line.X, float64(round)), append(line.Y, s.Mean), append(line.Spread, s.SD)
		}
		if len(line.X) > 0 {
			chart.Lines = append(chart.Lines, line, thesis(c.set.name, c.scenario.name, effect).rings(len(line.X)))
		}
	}
	return l.Chart(chart)
}

// after returns the losses after a round, for trials that have one.
func (c course) after(as count, effect, round int) (losses []float64) {
	for _, o := range c.runs[effect] {
		if len(o.Losses) >= round {
			losses = append(losses, as(o.Losses[round-1]))
		}
	}
	return losses
}

// gains returns how far each trial's loss is below that of FedAvg, in percent.
func (c course) gains(as count, effect, round int) (gains []float64) {
	for trial, o := range c.runs[effect] {
		if by := c.runs[0][trial].Losses; len(o.Losses) >= round {
			gains = append(gains, 100*(1-as(o.Losses[round-1])/as(by[round-1])))
		}
	}
	return gains
}

func (o outcome) withoutWeight() (n float64) {
	for _, m := range o.Members {
		if m.Weight == 0 {
			n++
		}
	}
	return n
}

func weightsOf(effect float64) string {
	if effect == 0 {
		return "FedAvg"
	}
	return fmt.Sprintf("a = %g", effect)
}

// mean formats the mean over repeats, with the standard deviation if there are several.
func mean(values []float64, digits int) string {
	s := study.Summarise(values)
	switch s.N {
	case 0:
		return ""
	case 1:
		return study.Number(s.Mean, digits)
	}
	return study.Number(s.Mean, digits) + " ± " + study.Number(s.SD, digits)
}

func gainOf(effect float64, gains []float64) string {
	if effect == 0 {
		return ""
	}
	return mean(gains, 2)
}

func known(v float64) string {
	if v == 0 {
		return ""
	}
	return study.Number(v, 2)
}
