package ood

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestTurnsAndFlips(t *testing.T) {
	image := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for name, c := range map[string]struct{ got, want []float64 }{
		"turned":  {Rotate90(image, 3), []float64{3, 6, 9, 2, 5, 8, 1, 4, 7}},
		"flipped": {FlipHorizontal(image, 3), []float64{3, 2, 1, 6, 5, 4, 9, 8, 7}},
		"as is":   {Scale(image, 3, 1), image},
		"four":    {Rotate90(Rotate90(Rotate90(Rotate90(image, 3), 3), 3), 3), image},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// An image scaled to twice its size keeps its middle, and interpolates between neighbours. One
// scaled to half its size is 0 outside.
func TestScale(t *testing.T) {
	image := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got, want := Scale(image, 3, 2), []float64{3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7}; !floats.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := Scale(image, 3, 0.5), []float64{0, 0, 0, 0, 5, 0, 0, 0, 0}; !floats.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestManipulateDoesAllInOrder(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	for i := range 2 {
		want := Scale(FlipHorizontal(Rotate90(x.RawRowView(i), 2), 2), 2, 1.2)
		if got := Manipulate(x, 2).RawRowView(i); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if x.At(1, 3) != 8 {
		t.Error("the images have been changed")
	}
}

func TestNoise(t *testing.T) {
	x := mat.NewDense(100, 50, nil)
	got := Noise(x, 0.005, rand.NewPCG(1, 1)).RawMatrix().Data
	if mean, variance := stat.MeanVariance(got, nil); math.Abs(mean) > 0.004 || math.Abs(variance-0.005) > 0.0004 {
		t.Errorf("mean %g, variance %g", mean, variance)
	}
}
