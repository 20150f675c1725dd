package vae

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Outputs and all derivatives of networks of every kind of layer equal those of the definition
// in float64.
func TestNetworksAndTheirGradients(t *testing.T) {
	hidden := []Layer{
		{Units: 5},
		{Units: 6, Activation: ReLU},
		{Units: 4, Activation: Tanh},
		{Units: 7, Activation: Sigmoid},
		{Units: 3, Activation: Softplus},
		{Units: 5, Activation: Gated},
		{Units: 9, Activation: Tanh, Dropout: 0.5},
		{Units: 8, Activation: Gated, Dropout: 0.25},
		{Units: 50, Activation: ReLU, Dropout: 0.1},
	}
	for i, first := range hidden {
		for _, j := range []int{i, (i + 4) % len(hidden)} {
			second := hidden[j]
			rng := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			other := New("other", 2, Layer{Units: 3, Activation: Gated})
			n := New("net", 3, first, second, Layer{Units: 2, Activation: Activation(i % 6)})
			Join(other, n)
			n.Initialise(rng)
			copy(n.Private.Values, normals(rng, len(n.Private.Values), 0.5))
			checkNetwork(t, fmt.Sprintf("%+v, %+v", first, second), n, rng)
		}
	}
}

func checkNetwork(t *testing.T, name string, n *Network, rng *rand.Rand) {
	t.Helper()
	x := normals(rng, 4*n.Inputs(), 1)
	y, err := n.Forward(x, rng)
	if err != nil {
		t.Fatal(err)
	}
	shared, private, in := doubles(n.Shared.Values), doubles(n.Private.Values), doubles(x)
	for i, want := range reference(n, shared, private, in) {
		if !near(float64(y[i]), want, 1e-5) {
			t.Fatalf("%s: output %d is %g, want %g", name, i, y[i], want)
		}
	}
	c := normals(rng, len(y), 1)
	loss := func() (sum float64) {
		for i, v := range reference(n, shared, private, in) {
			sum += float64(c[i]) * v
		}
		return sum
	}
	byInput := n.Backward(slices.Clone(c), ForParameters|ForInput)
	checkGradient(t, name+", shared", n.Shared.Gradient, shared, loss)
	checkGradient(t, name+", private", n.Private.Gradient, private, loss)
	checkGradient(t, name+", input", byInput, in, loss)
}

func TestPartsOfBackward(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := New("net", 3, Layer{Units: 60, Activation: Gated}, Layer{Units: 2})
	n.Initialise(rng)
	x, c := normals(rng, 12, 1), normals(rng, 8, 1)
	back := func(parts Parts) ([]float32, []float32) {
		clear(n.Shared.Gradient)
		if _, err := n.Forward(x, nil); err != nil {
			t.Fatal(err)
		}
		dx := n.Backward(slices.Clone(c), parts)
		return slices.Clone(dx), slices.Clone(n.Shared.Gradient)
	}
	dx, g := back(ForParameters | ForInput)
	onlyX, none := back(ForInput)
	noX, onlyG := back(ForParameters)
	if !slices.Equal(dx, onlyX) || !slices.Equal(g, onlyG) || noX != nil || !slices.Equal(none, make([]float32, len(g))) {
		t.Error("derivatives depend on which others are computed")
	}
}

func TestNamesAndShapes(t *testing.T) {
	a := New("encoder", 4, Layer{Units: 3, Activation: Gated}, Layer{Units: 2})
	b := New("decoder", 2, Layer{Units: 4, Activation: Gated})
	a.Initialise(rand.NewPCG(1, 1))
	b.Initialise(rand.NewPCG(2, 2))
	want := append(slices.Clone(a.Shared.Values), b.Shared.Values...)
	p := Join(a, b)
	var names []string
	var values []float32
	p.Matrices(func(s Shape, v []float32) {
		names = append(names, fmt.Sprintf("%s %dx%d", s.Name, s.Rows, s.Columns))
		values = append(values, v...)
	})
	if got, want := strings.Join(names, ", "), "encoder.0.weight 4x6, encoder.0.bias 1x6, encoder.1.weight 3x2, encoder.1.bias 1x2, decoder.0.weight 2x8, decoder.0.bias 1x8"; got != want {
		t.Errorf("shapes are %s, want %s", got, want)
	}
	if !slices.Equal(values, want) || a.Shared != p || b.Shared != p || len(p.Gradient) != len(want) {
		t.Error("joined parameters are not those of the networks")
	}
	if s := a.Private.Shapes; !slices.Equal(s, []Shape{{"encoder.0.condition", 1, 6}, {"decoder.0.condition", 1, 8}}) || b.Private != a.Private {
		t.Errorf("private shapes are %v", s)
	}
}

// Bits do not depend on the number of goroutines; the widths are large enough to need several.
func TestSameBitsForAnyGOMAXPROCS(t *testing.T) {
	run := func(procs int) []float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		src := rand.NewPCG(3, 4)
		n := New("net", 200, Layer{Units: 230, Activation: Gated, Dropout: 0.3}, Layer{Units: 190, Activation: ReLU}, Layer{Units: 200, Activation: Sigmoid})
		n.Initialise(src)
		adam := NewAdam(len(n.Shared.Values), 1e-3)
		x, d := make([]float32, 70*200), make([]float32, 70*200)
		Normals(x, src)
		for range 3 {
			y, err := n.Forward(x, src)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := SquaredError(d, y, x, 200); err != nil {
				t.Fatal(err)
			}
			n.Backward(d, ForParameters|ForInput)
			adam.Step(n.Shared.Values, n.Shared.Gradient)
		}
		return n.Shared.Values
	}
	want := run(1)
	for _, procs := range []int{2, 3, 5} {
		if !slices.Equal(run(procs), want) {
			t.Errorf("weights differ with GOMAXPROCS %d", procs)
		}
	}
}

func TestValuesThatAreNotFiniteAreErrors(t *testing.T) {
	n := New("net", 3, Layer{Units: 2, Activation: ReLU})
	x := make([]float32, 12)
	x[7] = float32(math.NaN())
	_, err := n.Forward(x, nil)
	if want := "vae: input 1 of row 2 of the batch for network net is NaN, want a finite number: leave out the row or fill the gap"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	x[7] = 0
	n.Shared.Values[0] = float32(math.NaN())
	y, err := n.Forward(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SquaredError(make([]float32, 8), y, make([]float32, 8), 2); err == nil {
		t.Error("a loss that is NaN is no error")
	}
}

func TestDropout(t *testing.T) {
	n := New("net", 1, Layer{Units: 1000, Dropout: 0.25})
	for i := range n.bias(n.layers[0]) {
		n.bias(n.layers[0])[i] = 3
	}
	y, err := n.Forward(make([]float32, 50), rand.NewPCG(5, 6))
	if err != nil {
		t.Fatal(err)
	}
	zeros := 0
	for _, v := range y {
		switch v {
		case 0:
			zeros++
		case 4:
		default:
			t.Fatalf("output is %g, want 0 or 4", v)
		}
	}
	if share := float64(zeros) / float64(len(y)); math.Abs(share-0.25) > 0.01 { // 5 standard deviations
		t.Errorf("%g of the outputs are dropped, want 0.25", share)
	}
	if y, _ = n.Forward(make([]float32, 50), nil); slices.Contains(y, 0) {
		t.Error("outputs are dropped out of training")
	}
}
