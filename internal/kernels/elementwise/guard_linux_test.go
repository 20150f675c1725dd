package elementwise

import (
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Slices at the end, or the beginning, of their memory are not read or written beyond it.
func TestNoElementBesides(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var pages [5][]float32
	for i := range pages {
		pages[i] = fenced(t)
	}
	for _, c := range calls {
		for n := 1; n < 40; n++ {
			x := make([][]float32, len(pages))
			for i := range x {
				x[i] = values(rng, n)
			}
			want := copies(x)
			var wantSum float32
			c.do(portable, want, &wantSum)
			for _, k := range all() {
				for _, atEnd := range []bool{true, false} {
					got := make([][]float32, len(pages))
					for i, p := range pages {
						if atEnd {
							p = p[len(p)-n:]
						}
						got[i] = p[:n]
						copy(got[i], x[i])
					}
					var sum float32
					c.do(k, got, &sum)
					for i := range got {
						compare(t, fmt.Sprintf("%s of %d, slice %d, %s", c.name, n, i, k.path), got[i], want[i])
					}
				}
			}
		}
	}
}

// fenced returns memory between two inaccessible pages.
func fenced(t *testing.T) []float32 {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, outside := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&memory[page])), page/4)
}
