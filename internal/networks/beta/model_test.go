package beta

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/vae"
)

// The gradient, also by conditions, is that of the squared errors plus β times the divergence,
// summed over a batch.
func TestGradient(t *testing.T) {
	for _, condition := range []bool{false, true} {
		c := small(Weighting{})
		c.Conditioned = condition
		m := NewModel(c)
		for i := range m.own.Values {
			m.own.Values[i] = float32(i%7-3) / 4
		}
		x := owns(1)[2].Rows[:5*6]
		loss := func() float64 {
			l, err := m.forward(x, rand.NewPCG(5, 5))
			if err != nil {
				t.Fatal(err)
			}
			return l.Squares + m.config.Beta*l.Divergence
		}
		loss()
		m.backward()
		checked := checkGradient(t, m.all, 3, loss) + checkGradient(t, m.own, 1, loss)
		if least := map[bool]int{false: 40, true: 120}[condition]; checked < least {
			t.Errorf("only %d derivatives are not 0, want %d", checked, least)
		}
	}
}

// checkGradient compares every every-th derivative with differences, and returns the number of
// them that are not 0.
func checkGradient(t *testing.T, p *vae.Parameters, every int, loss func() float64) (checked int) {
	t.Helper()
	gradient := slices.Clone(p.Gradient)
	for i := 0; i < len(p.Values); i += every {
		const step = 1e-2
		was := p.Values[i]
		p.Values[i] = was + step
		up := loss()
		p.Values[i] = was - step
		down := loss()
		p.Values[i] = was
		if got, want := float64(gradient[i]), (up-down)/(2*step); math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %g, want %g", i, got, want)
		}
		if gradient[i] != 0 {
			checked++
		}
	}
	return checked
}

// The loss follows its definition, and is the same for rows in one batch or several.
func TestLoss(t *testing.T) {
	m := NewModel(small(Weighting{}))
	var x []float32
	for range 20 {
		x = append(x, owns(1)[2].Rows...)
	}
	got, err := m.Evaluate(x, rand.NewPCG(9, 9))
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.Encode(x, rand.NewPCG(9, 9))
	if err != nil {
		t.Fatal(err)
	}
	y, err := m.Decode(z)
	if err != nil {
		t.Fatal(err)
	}
	squares, divergence := 0.0, 0.0
	for i, v := range x {
		squares += (float64(y[i]) - float64(v)) * (float64(y[i]) - float64(v))
	}
	h, err := m.encoder.Forward(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(x) / 6 {
		for j := range 2 {
			mean, raw := float64(h[i*4+j]), float64(h[i*4+2+j])
			divergence += 0.5*(math.Exp(2*raw)+mean*mean-1) - raw
		}
	}
	rows := float64(len(x) / 6)
	if want := squares / rows; math.Abs(got.Squares-want) > 1e-5 {
		t.Errorf("squared error is %g, want %g", got.Squares, want)
	}
	if want := divergence / rows; math.Abs(got.Divergence-want) > 1e-5 || math.Abs(got.Total-got.Squares-0.1*got.Divergence) > 1e-9 {
		t.Errorf("got %+v, want divergence %g", got, want)
	}
}

func TestNumbersOfParameters(t *testing.T) {
	// 784-512-256-2·2 and 2-256-512-784, with biases: the model of the thesis.
	thesis := 785*512 + 513*256 + 257*4 + 3*256 + 257*512 + 513*784
	for _, test := range []struct {
		c           Config
		shared, own int
	}{
		{Config{Inputs: 784}, thesis, 0},
		{Config{Inputs: 784, Conditioned: true}, 2*thesis - 257*4 - 513*784, 2 * 2 * (512 + 256)},
	} {
		m := NewModel(test.c)
		if shared, own := len(m.Parameters().Values), len(m.Conditions().Values); shared != test.shared || own != test.own {
			t.Errorf("%+v: got %d and %d, want %d and %d", test.c, shared, own, test.shared, test.own)
		}
	}
}
