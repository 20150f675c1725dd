package elementwise

// Adam is the Adam optimiser (Kingma and Ba 2015, Algorithm 1, in the form of its Section 2):
//
//	m = Decay1·m + Share1·g,  v = Decay2·v + Share2·g²,  w = w − Rate·m/(√v + Epsilon)
//
// Values of g below 2^−58, and of m and v below 2^−100, are taken as 0.
type Adam struct {
	Decay1, Share1, Decay2, Share2, Rate, Epsilon float32
}

// Step updates the weights w by the gradients g, and the moments m and v.
func (a Adam) Step(w, g, m, v []float32) {
	if n := len(w); n > 0 {
		active.adam(w, g[:n], m[:n], v[:n], a)
	}
}

// Momentum sets v to momentum·v + g, or 0 below 2^−100, and w to w − rate·v.
func Momentum(w, g, v []float32, rate, momentum float32) {
	if n := len(w); n > 0 {
		active.momentum(w, g[:n], v[:n], rate, momentum)
	}
}
