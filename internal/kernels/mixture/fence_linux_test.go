package mixture

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Kernels read and write nothing outside the room that callers must provide. Each array ends
// where its memory ends, or begins where it begins.
func TestNothingBesidesArrays(t *testing.T) {
	var fences []func(n int, last bool) []float64
	for range 6 {
		fences = append(fences, fenced(t))
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, k := range all() {
		for _, last := range []bool{true, false} {
			next := 0
			room := func(n int) []float64 {
				x := fences[next](n, last)
				next++
				for i := range x {
					x[i] = -rng.Float64()
				}
				return x
			}
			for m := 1; m < 15; m++ {
				for _, panels := range []int{1, 2, 3, 4, 5, 8} {
					for _, call := range calls(k, room, m, panels) {
						next = 0
						call()
					}
				}
			}
		}
	}
}

// calls returns calls of the kernels on m variables in panels, with the least room.
func calls(k *kernels, room func(n int) []float64, m, panels int) []func() {
	n := panels * lanes
	stride := (m + 1) * lanes
	x := func() []float64 { return room((panels-1)*stride + m*lanes) }
	found := []func(){
		func() { k.turn(panels, m, room(n*m), x(), stride) },
		func() { k.normalise(n, m, n, room(m*n), room(m), room(m*n), room(n)) },
		func() { k.highest(n, room(n), room(lanes)) },
		func() { k.entropy(n, room(n), room(n), room(n), -1, 0, room(4)) },
		func() { k.centre(panels, m, x(), stride, room(m), x()) },
		func() {
			k.scatter(panels, m, x(), stride, room(n), room(n*mostHeight), room((m-1)*(m+beyond)+m+beyond), m+beyond)
		},
		func() { k.spread(panels, m, x(), stride, room(m), room(n), room(m+beyond), room(m+beyond)) },
	}
	if panels%k.group == 0 {
		found = append(found,
			func() {
				k.density(panels, m, x(), stride, room(m), room(m*(m+1)/2), 0, room(k.group*lanes*m), room(n))
			},
			func() { k.diagonal(panels, m, x(), stride, room(m), room(m), 0, room(n)) })
	}
	return found
}

// fenced returns a function that allocates numbers at the end, or at the beginning, of memory
// between two inaccessible pages.
func fenced(t *testing.T) func(n int, last bool) []float64 {
	page, pages := os.Getpagesize(), 5
	memory, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, outside := range [][]byte{memory[:page], memory[(pages+1)*page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), pages*page/8)
	return func(n int, last bool) []float64 {
		if last {
			return inside[len(inside)-n:]
		}
		return inside[:n:n]
	}
}
