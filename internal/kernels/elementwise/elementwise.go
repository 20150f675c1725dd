package elementwise

// All functions work on slices of the length of the first one, and panic if another is shorter.
// Functions of y and a bias set y to f(y + bias).

// Add sets y to y + b.
func Add(y, b []float32) { biasedBy(active.add, y, b) }

// ReLU sets y to max(y + b, 0).
func ReLU(y, b []float32) { biasedBy(active.relu, y, b) }

// Tanh sets y to tanh(y + b), to about 2 ulp.
func Tanh(y, b []float32) { biasedBy(active.tanh, y, b) }

// Sigmoid sets y to 1/(1+e^−(y+b)), to about 2 ulp, and to 0 where that is below e^−87.
func Sigmoid(y, b []float32) { biasedBy(active.sigmoid, y, b) }

// Softplus sets y to ln(1+e^(y+b)), to about 2 ulp.
func Softplus(y, b []float32) { biasedBy(active.softplus, y, b) }

// ReLUBack turns d, the derivative by an output y of [ReLU], into the derivative by its
// argument.
func ReLUBack(d, y []float32) { biasedBy(active.reluBack, d, y) }

// TanhBack is [ReLUBack] for [Tanh].
func TanhBack(d, y []float32) { biasedBy(active.tanhBack, d, y) }

// SigmoidBack is [ReLUBack] for [Sigmoid].
func SigmoidBack(d, y []float32) { biasedBy(active.sigmoidBack, d, y) }

// SoftplusBack is [ReLUBack] for [Softplus].
func SoftplusBack(d, y []float32) { biasedBy(active.softplusBack, d, y) }

// Exp sets y to e^x, to about 1 ulp. The result is 0 for x below −87 and e^88 for x above 88.
func Exp(y, x []float32) { biasedBy(active.exp, y, x) }

// Log sets y to ln x, to about 2 ulp, and to NaN unless x is a normal number above 0 or
// infinite.
func Log(y, x []float32) { biasedBy(active.log, y, x) }

func biasedBy(f func(y, b []float32), y, b []float32) {
	if len(y) > 0 {
		f(y, b[:len(y)])
	}
}

// Multiply sets z to x·y; z may be x or y.
func Multiply(z, x, y []float32) {
	if len(z) > 0 {
		active.multiply(z, x[:len(z)], y[:len(z)])
	}
}

// GateBack turns the factors f = tanh a and g = sigmoid b of an output f·g into the derivatives
// by a and b. D is the derivative by the output.
func GateBack(f, g, d []float32) {
	if len(f) > 0 {
		active.gateBack(f, g[:len(f)], d[:len(f)])
	}
}

// Clamp sets y to x, limited to [low, high]; NaN stays NaN.
func Clamp(y, x []float32, low, high float32) {
	if len(y) > 0 {
		active.clamp(y, x[:len(y)], low, high)
	}
}

// ClampBack sets d to 0 where x is outside [low, high].
func ClampBack(d, x []float32, low, high float32) {
	if len(d) > 0 {
		active.clampBack(d, x[:len(d)], low, high)
	}
}

// ScaleBack turns d, the derivative by the logarithm of a scale, into the derivative by a,
// where the scale is softplus(a) + least.
func ScaleBack(d, scale []float32, least float32) {
	if len(d) > 0 {
		active.scaleBack(d, scale[:len(d)], least)
	}
}

// Gaussian returns Σ ½ ((x−mean)/scale)² + logScale. That is the negative log density of x
// without ½ ln 2π per element. LogScale is the logarithm of scale.
func Gaussian(x, mean, scale, logScale []float32) float32 {
	n := len(x)
	if n == 0 {
		return 0
	}
	return active.gaussian(x, mean[:n], scale[:n], logScale[:n])
}

// GaussianBack sets dMean and dLog to weight times the derivatives of [Gaussian] by the
// means and by the logarithms of the scales.
func GaussianBack(x, mean, scale, dMean, dLog []float32, weight float32) {
	if n := len(x); n > 0 {
		active.gaussianBack(x, mean[:n], scale[:n], dMean[:n], dLog[:n], weight)
	}
}

// Difference sets d to 2(y−x) and returns Σ (y−x)².
func Difference(d, y, x []float32) float32 {
	n := len(d)
	if n == 0 {
		return 0
	}
	return active.difference(d, y[:n], x[:n])
}

// IsFinite reports whether no element of x is NaN or infinite.
func IsFinite(x []float32) bool {
	return len(x) == 0 || active.check(x) == 0
}

// LogOf is [Log] for a single number.
func LogOf(x float32) float32 { return log(x) }
