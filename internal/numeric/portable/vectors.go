package portable

import "math"

// Norm returns the length √Σx_i² of a vector, however large or small its values are.
func Norm(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 || math.IsInf(most, 1) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		v /= most
		sum += float64(v * v)
	}
	return float64(most * math.Sqrt(sum))
}
