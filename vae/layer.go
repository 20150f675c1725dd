package vae

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Activation is the function that a layer applies to the sums a = xW + b.
type Activation uint8

// The activations. All except Gated apply to each element.
const (
	Identity Activation = iota
	ReLU                // max(a, 0)
	Tanh                // tanh a
	Sigmoid             // 1/(1 + e^−a)
	Softplus            // ln(1 + e^a)
	// Gated is tanh(xW_f + b_f + v_f)·sigmoid(xW_g + b_g + v_g) (van den Oord et al. 2016,
	// "Conditional image generation with PixelCNN decoders", Eq. 4). Here v is the column of V
	// that a one-hot condition selects; the condition may be the participant, whose v is then
	// its own and not shared. W has the columns of W_f before those of W_g, and b and v
	// likewise.
	Gated
)

// Layer describes a dense layer.
type Layer struct {
	Units      int // outputs
	Activation Activation
	Dropout    float32 // probability that an output is 0 in training; the others are divided by 1 minus it
}

// dense is a layer of a network, with its values for the last batch. Positions refer to the
// parameters of its network.
type dense struct {
	Layer
	in, sums     int // numbers of inputs, and of columns of W
	weight, bias int
	condition    int // position of the conditions of gated units in the private parameters

	x        []float32 // inputs, owned by the caller or the layer before
	a        []float32 // sums, then activations, or the factors of gated units
	product  []float32 // of these factors
	shift    []float32 // b + v of gated units
	dropping bool
	mask     []float32 // factors of dropout
	dropped  []float32
	d        []float32 // derivatives by the output
}

func (l *dense) output() []float32 {
	switch {
	case l.dropping:
		return l.dropped
	case l.Activation == Gated:
		return l.product
	}
	return l.a
}

var (
	activations = [...]func(y, b []float32){
		Identity: elementwise.Add, ReLU: elementwise.ReLU, Tanh: elementwise.Tanh,
		Sigmoid: elementwise.Sigmoid, Softplus: elementwise.Softplus,
	}
	derivatives = [...]func(d, y []float32){
		Identity: func(_, _ []float32) {}, ReLU: elementwise.ReLUBack, Tanh: elementwise.TanhBack,
		Sigmoid: elementwise.SigmoidBack, Softplus: elementwise.SoftplusBack,
	}
)

// activate turns a row of sums into activations, for the units from lo to hi.
func (l *dense) activate(row, lo, hi int, bias []float32) {
	a := l.a[row*l.sums:][:l.sums]
	if l.Activation != Gated {
		activations[l.Activation](a[lo:hi], bias[lo:hi])
		return
	}
	f, g := a[lo:hi], a[l.Units+lo:l.Units+hi]
	elementwise.Tanh(f, bias[lo:hi])
	elementwise.Sigmoid(g, bias[l.Units+lo:l.Units+hi])
	elementwise.Multiply(l.product[row*l.Units:][lo:hi], f, g)
}

// derive turns a row of derivatives by the output into derivatives by the sums. In gated layers
// these overwrite the factors.
func (l *dense) derive(row, lo, hi int) {
	d := l.d[row*l.Units:][lo:hi]
	if l.dropping {
		elementwise.Multiply(d, d, l.mask[row*l.Units:][lo:hi])
	}
	a := l.a[row*l.sums:][:l.sums]
	if l.Activation == Gated {
		elementwise.GateBack(a[lo:hi], a[l.Units+lo:l.Units+hi], d)
	} else {
		derivatives[l.Activation](d, a[lo:hi])
	}
}

// bySums returns the derivatives by the sums, after derive.
func (l *dense) bySums() []float32 {
	if l.Activation == Gated {
		return l.a
	}
	return l.d
}

// drop draws the outputs that are 0, two from a word.
func (l *dense) drop(src rand.Source) {
	y := l.output()
	l.dropping = true
	l.mask, l.dropped = room(l.mask, len(y)), room(l.dropped, len(y))
	limit := uint64(float64(l.Dropout) * (1 << 32))
	factors := [2]float32{1 / (1 - l.Dropout), 0}
	for i := 0; i < len(y); i += 2 {
		word := src.Uint64()
		l.mask[i] = factors[below(word>>32, limit)]
		if i+1 < len(y) {
			l.mask[i+1] = factors[below(word&(1<<32-1), limit)]
		}
	}
	elementwise.Multiply(l.dropped, y, l.mask)
}

// below returns 1 if x is less than limit, else 0, without a branch. Both must be below 2^33.
func below(x, limit uint64) uint64 { return (x - limit) >> 63 }

// room returns x with n elements, whose values are arbitrary.
func room(x []float32, n int) []float32 {
	if cap(x) < n {
		return make([]float32, n)
	}
	return x[:n]
}
