package ood

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Zoom is the factor by which [Manipulate] enlarges.
const Zoom = 1.2

// Manipulate returns the images of x, whose rows are square images of size by size
// values, row-major, turned by 90 degrees counter-clockwise, flipped horizontally and
// enlarged by Zoom.
func Manipulate(x *mat.Dense, size int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, size*size, nil)
	for i := range n {
		out.SetRow(i, Scale(FlipHorizontal(Rotate90(x.RawRowView(i), size), size), size, Zoom))
	}
	return out
}

// Rotate90 returns a square image turned by 90 degrees counter-clockwise: its right column
// becomes the top row.
func Rotate90(image []float64, size int) []float64 {
	return each(image, size, func(i, j int) float64 { return image[j*size+size-1-i] })
}

// FlipHorizontal returns a square image with left and right exchanged.
func FlipHorizontal(image []float64, size int) []float64 {
	return each(image, size, func(i, j int) float64 { return image[i*size+size-1-j] })
}

// Scale returns a square image enlarged about its middle by a factor above 0, and cut to its
// size. It interpolates bilinearly between pixels, and is 0 outside.
func Scale(image []float64, size int, factor float64) []float64 {
	if !(factor > 0) {
		panic("ood: want a factor above 0")
	}
	middle := float64(size-1) / 2
	pixel := func(i, j int) float64 {
		if i < 0 || j < 0 || i >= size || j >= size {
			return 0
		}
		return image[i*size+j]
	}
	return each(image, size, func(i, j int) float64 {
		y, x := middle+(float64(i)-middle)/factor, middle+(float64(j)-middle)/factor
		top, left := int(math.Floor(y)), int(math.Floor(x))
		dy, dx := y-float64(top), x-float64(left)
		above := (1-dx)*pixel(top, left) + dx*pixel(top, left+1)
		below := (1-dx)*pixel(top+1, left) + dx*pixel(top+1, left+1)
		return (1-dy)*above + dy*below
	})
}

func each(image []float64, size int, f func(i, j int) float64) []float64 {
	if len(image) != size*size {
		panic("ood: want a square image")
	}
	out := make([]float64, len(image))
	for i := range size {
		for j := range size {
			out[i*size+j] = f(i, j)
		}
	}
	return out
}

// Noise returns the rows of x with normal noise of the given variance added to every
// value.
func Noise(x *mat.Dense, variance float64, src rand.Source) *mat.Dense {
	rng, sd := rand.New(src), math.Sqrt(variance)
	out := mat.DenseCopyOf(x)
	n, _ := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		for j := range row {
			row[j] += sd * rng.NormFloat64()
		}
	}
	return out
}
