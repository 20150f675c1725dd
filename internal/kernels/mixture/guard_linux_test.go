package mixture

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Rows at the end, or the beginning, of their memory are not read beyond it.
func TestNoRowBesides(t *testing.T) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(memory) }()
	for _, outside := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), page/8)
	rng := rand.New(rand.NewPCG(9, 10))
	for m := 1; m < 14; m++ {
		x, _ := random(rng, 2, m, true)
		for _, n := range []int{1, 7, 8, 9, 16, 33} {
			rows := normals(rng, n*m)
			want := everything(x, [][]float64{rows}, nil)
			for _, at := range [][]float64{inside[:n*m], inside[len(inside)-n*m:]} {
				copy(at, rows)
				for _, k := range all() {
					use(k, func() {
						if got := everything(x, [][]float64{at}, nil); got[0][n-1] != want[0][n-1] {
							t.Errorf("%s: M=%d N=%d: log sum %v, want %v", k.path, m, n, got[0][n-1], want[0][n-1])
						}
					})
				}
			}
		}
	}
}
