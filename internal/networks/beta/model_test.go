package beta

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/discrepancy"
	"github.com/collabdict/collabdict/vae"
)

// The gradient, also by conditions, is that of the squared errors plus β times the divergence,
// summed over a batch.
func TestGradient(t *testing.T) {
	for _, condition := range []Condition{Unconditioned, CGAU} {
		c := small(Weighting{})
		c.Condition = condition
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
		if least := map[Condition]int{Unconditioned: 40, CGAU: 120}[condition]; checked < least {
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
		{Config{Inputs: 784, Condition: CGAU}, 2*thesis - 257*4 - 513*784, 2 * 2 * (512 + 256)},
	} {
		m := NewModel(test.c)
		shared, own := test.c.withDefaults().parameters()
		for i, got := range []int{len(m.Parameters().Values), shared, len(m.Conditions().Values), own} {
			if want := []int{test.shared, test.own}[i/2]; got != want {
				t.Errorf("%+v: number %d is %d, want %d", test.c, i, got, want)
			}
		}
	}
}

func TestSettings(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		"inputs of at least 1":           func(c *Config) { c.Inputs = 0 },
		"hidden layer 2":                 func(c *Config) { c.Hidden = []int{3, 0} },
		"latent variables":               func(c *Config) { c.Latent = -1 },
		"above 0 for the divergence":     func(c *Config) { c.Beta = math.NaN() },
		"learning rate above 0":          func(c *Config) { c.Rate = math.Inf(1) },
		"measure of discrepancy from":    func(c *Config) { c.Weights.By = 9 },
		"for weights with a = 0.5":       func(c *Config) { c.Weights.Rule = discrepancy.FedDisco() },
		"want a pretrained model, or":    func(c *Config) { c.Weights.By = Latent },
		"leave them out":                 func(c *Config) { c.Weights.Every = 2 },
		"0 or more rounds":               func(c *Config) { c.Weights.By, c.Weights.Every = Latent, -1 },
		"parameters of a pretrained":     func(c *Config) { c.Weights.By, c.Weights.Pretrained = Latent, []float32{1} },
		"epochs of at least 1, got -100": func(c *Config) { c.Epochs = -100 },
		"conditions of kind 0 or 1":      func(c *Config) { c.Condition = 2 },
		"one hidden layer to condition":  func(c *Config) { c.Condition, c.Hidden = CGAU, []int{} },
	} {
		c := small(Weighting{})
		change(&c)
		if _, err := NewLearner(c, owns(1)[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	bad := func(w Weighting, own Own, want string) {
		t.Helper()
		if _, err := NewLearner(small(w), own); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	bad(Weighting{}, Own{Rows: make([]float32, 7)}, "row of 6 values, got 7")
	bad(Weighting{}, Own{Rows: []float32{0, 0, 0, 0, 0, 0, 0, float32(math.NaN()), 0, 0, 0, 0}}, "row 2, value 2")
	bad(Weighting{}, Own{Rows: make([]float32, 6), Pretrained: make([]float32, 52)}, "want 0 conditions along with the pretrained model")
	bad(Weighting{By: Labels}, Own{Rows: make([]float32, 6)}, "row with a label")
}
