package machines

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict/internal/plots"
)

// areasChart draws the areas under the curves: alone, together and pooled.
func (p plan) areasChart(s *set, found results) plots.Chart {
	c := plots.Chart{
		Name: "mtvae-areas-" + strings.ToLower(s.name), Title: s.name + ": anomalies found", Y: "area under precision and recall",
		Subtitle: fmt.Sprintf("%d participants; means and standard deviations, seeds: %d", len(found.names(s)), p.seeds),
		Places:   ways, Apart: true,
	}
	for _, t := range p.trials {
		if t.kind != compared {
			continue
		}
		line := plots.Line{Name: t.name}
		for at, way := range ways {
			if v := found.of(s.name, t.name, way, pr); v.N > 0 {
				line.X, line.Y, line.Spread = append(line.X, float64(at)), append(line.Y, v.Mean), append(line.Spread, v.SD)
			}
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// curves shows whether the training is long enough.
func (p plan) curves(s *set, found results) plots.Chart {
	c := plots.Chart{
		Name: "mtvae-bound-" + strings.ToLower(s.name), Title: s.name + ": how far training is",
		Subtitle: "rows that are not trained on, the median row of each participant; seed 1", X: "steps of the decoder", Y: "lower bound in nats",
	}
	for _, of := range []struct{ name, trial, way string }{
		{"alone", gradients, alone},
		{"together", gradients, together},
		{"pooled", gradients, pooled},
		{"together, 20 local steps", steps, together},
		{"together, three times as long", longer, together},
	} {
		line := plots.Line{Name: of.name}
		for _, at := range found[[3]string{s.name, of.trial, of.way}][0].Curve {
			line.X, line.Y = append(line.X, float64(at.Steps)), append(line.Y, at.Median)
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}
