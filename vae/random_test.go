package vae

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNormals(t *testing.T) {
	x := make([]float32, 200_001)
	Normals(x, rand.NewPCG(1, 2))
	var moments [5]float64
	for _, v := range x {
		for k := range moments {
			moments[k] += math.Pow(float64(v), float64(k)) / float64(len(x))
		}
	}
	for k, want := range []float64{1, 0, 1, 0, 3} {
		if math.Abs(moments[k]-want) > 0.06 { // 2.7 standard deviations of the last moment
			t.Errorf("moment %d is %g, want %g", k, moments[k], want)
		}
	}
}

func TestBatches(t *testing.T) {
	b := NewBatches(10, 4, rand.NewPCG(3, 4))
	var orders [][]int
	for epoch := range 3 {
		var order []int
		for i, size := range []int{4, 4, 2} {
			rows, first := b.Next()
			if len(rows) != size || first != (i == 0) {
				t.Fatalf("batch %d of epoch %d has %d rows, first %t", i, epoch, len(rows), first)
			}
			order = append(order, rows...)
		}
		orders = append(orders, slices.Clone(order))
		slices.Sort(order)
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Fatalf("epoch %d has rows %v", epoch, order)
		}
	}
	if slices.Equal(orders[0], orders[1]) {
		t.Errorf("two epochs have the order %v", orders[0])
	}
	if got := Gather(nil, []float32{0, 1, 10, 11, 20, 21}, 2, []int{2, 0}); !slices.Equal(got, []float32{20, 21, 0, 1}) {
		t.Errorf("rows 2 and 0 are %v", got)
	}
}
