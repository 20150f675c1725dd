package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"

	"github.com/collabdict/collabdict/internal/run/report"
)

const (
	// least replaces a disagreement of 0: it is below all rounding errors.
	least = 1e-17
	// fewDots is the most iterations that have a dot each.
	fewDots = 100
)

const convergenceName = "convergence"

// convergence draws the disagreement after each iteration of a session, with the prediction.
func convergence(c *report.Convergence) *figure {
	p := newPlot("iteration", "‖x − mean‖, relative to the start")
	p.X.Tick.Marker, p.Y.Tick.Marker = even{8, 1}, decades{8}
	p.Add(grid{})
	f := &figure{
		name: convergenceName, title: "Disagreement of the members during a sum", height: height, Plot: p,
		subtitle: fmt.Sprintf("sum of round %d, %s; step %s on %s", c.Round, members(c.Members), c.Step, c.Graph),
	}
	dashed := stroke(orange, 2, 5, 3)
	if predicted := logarithms(c.Predicted, 0); len(predicted) > 1 {
		p.Add(&plotter.Line{XYs: predicted, LineStyle: dashed})
		f.keys = []key{{label: "predicted from the spectrum: at most", line: dashed}}
	} else {
		f.subtitle += "; predicted to be exact after one iteration"
	}
	if measured := logarithms(c.Measured, least); len(measured) <= fewDots {
		p.Add(dots(measured, blue, 2.4))
		f.keys = append(f.keys, key{label: "measured", dot: blue})
	} else {
		line := stroke(blue, 1)
		p.Add(&plotter.Line{XYs: measured, LineStyle: line})
		f.keys = append(f.keys, key{label: "measured", line: line})
	}
	p.Y.Min, p.Y.Max = p.Y.Min-0.5, 0.5
	return f
}

// logarithms returns the logarithms of values by iteration. Values below least count as least;
// zeros are left out if least is 0.
func logarithms(values []float64, least float64) plotter.XYs {
	var at plotter.XYs
	for t, v := range values {
		if v = max(v, least); v > 0 {
			at = append(at, plotter.XY{X: float64(t), Y: math.Log10(v)})
		}
	}
	return at
}
