package adaptation

import (
	"context"
	"math"

	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// unit is the only gated unit of a model, with the model's output weights.
type unit struct {
	model  *cgau.Model
	w      [2][2]float64 // weights of filter and gate, by input
	b, v   [2]float64    // biases and condition weights of filter and gate
	output func(z float64) float64
}

func unitOf(m *cgau.Model) unit {
	s, v := m.Shared().Values, m.Conditions().Values
	u := unit{model: m}
	for i := range 2 { // filter and gate side by side
		u.w[i] = [2]float64{float64(s[i]), float64(s[2+i])}
		u.b[i], u.v[i] = float64(s[4+i]), float64(v[i])
	}
	u.output = func(z float64) float64 { // of class 1
		return sigmoid(float64(s[7])*z + float64(s[9]) - float64(s[6])*z - float64(s[8]))
	}
	return u
}

// sum returns the input of the filter (0) or the gate (1), with a share of its condition.
func (u unit) sum(of int, x, y, condition float64) float64 {
	return u.w[of][0]*x + u.w[of][1]*y + u.b[of] + condition*u.v[of]
}

func (u unit) filter(x, y, condition float64) float64 { return math.Tanh(u.sum(0, x, y, condition)) }
func (u unit) gate(x, y, condition float64) float64   { return sigmoid(u.sum(1, x, y, condition)) }

func sigmoid(a float64) float64 { return 1 / (1 + math.Exp(-a)) }

// classified returns the probability of class 1.
func (u unit) classified(x, y, modulation, expression float64) float64 {
	return u.output(u.filter(x, y, modulation) * u.gate(x, y, expression))
}

// draw draws the pictures of Appendix A for trainings that have solved it. The upper half of
// each shows the up member, the lower half the down member.
func draw(ctx context.Context, l *study.Lab, found map[string]int) error {
	one, mlp := solvers[0], solvers[len(solvers)-1]
	seed, ok := found[one.name]
	if !ok {
		return nil
	}
	models, _, err := one.solve(ctx, seed)
	if err != nil {
		return err
	}
	units := [2]unit{unitOf(models[0]), unitOf(models[1])}
	own := func(f func(u unit, x, y float64) float64) func(x, y float64) float64 {
		return func(x, y float64) float64 {
			if y > 0 {
				return f(units[0], x, y)
			}
			return f(units[1], x, y)
		}
	}
	low, high := points(seed)
	var panels []plots.Field
	add := func(title string, f func(x, y float64) float64) {
		panels = append(panels, plots.Field{Title: title, Value: f, Low: low, High: high})
	}
	if seed, ok := found[mlp.name]; ok {
		models, _, err := mlp.solve(ctx, seed)
		if err != nil {
			return err
		}
		add("(a) two ReLU units", func(x, y float64) float64 { return probability(models[0], x, y) })
	}
	add("(b) one CGAU", own(func(u unit, x, y float64) float64 { return probability(u.model, x, y) }))
	add("(c) filter, no condition", own(func(u unit, x, y float64) float64 { return (1 + u.filter(x, y, 0)) / 2 }))
	add("(d) gate, no condition", own(func(u unit, x, y float64) float64 { return u.gate(x, y, 0) }))
	add("(e) filter", own(func(u unit, x, y float64) float64 { return (1 + u.filter(x, y, 1)) / 2 }))
	add("(f) gate", own(func(u unit, x, y float64) float64 { return u.gate(x, y, 1) }))
	add("(g) without modulation", own(func(u unit, x, y float64) float64 { return u.classified(x, y, 0, 1) }))
	add("(h) without expression", own(func(u unit, x, y float64) float64 { return u.classified(x, y, 1, 0) }))
	return l.Fields(plots.Fields{
		Name: "cgau-xor", Title: "The exclusive or by one conditional gated unit",
		Subtitle: "the upper half is one member's, the lower another's; probabilities, and outputs of filter and gate",
		From:     -2, To: 2, Low: "equal signs; least output", High: "opposite signs; most output", Columns: 4, Panels: panels,
	})
}

func probability(m *cgau.Model, x, y float64) float64 {
	p, err := m.Probabilities([]float32{float32(x), float32(y)})
	if err != nil {
		panic(err) // finite numbers give no error
	}
	return float64(p[1])
}

// points returns some of the rows of a training, by class.
func points(seed int) (low, high plots.Points) {
	for _, rows := range drawXOR(source(seed, 3)) {
		for i, class := range rows.Classes[:40] {
			p := &low
			if class == 1 {
				p = &high
			}
			p.X, p.Y = append(p.X, float64(rows.Values[2*i])), append(p.Y, float64(rows.Values[2*i+1]))
		}
	}
	return low, high
}
