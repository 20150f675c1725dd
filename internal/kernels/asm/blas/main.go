// Asm writes the assembly of package blas; go generate in that package runs it. The generators
// are a separate module, so that avo is no dependency of the program.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// signature is the Go signature of an adder; the verb is the type of its numbers.
const signature = "func(m, n, k int, alpha %[1]s, a *%[1]s, ars, aks int, b *%[1]s, bks int, c *%[1]s, cs int, fresh bool)"

// isa holds the differences between the two instruction sets.
type isa struct {
	*number
	title, needs string
	lanes        int   // elements per vector
	heights      []int // rows of the tiles, highest first; each but the first is half of the one before
	vector       func() reg.VecVirtual
	// mask prepares load and store for n-lanes*(vectors-1) elements of the last vector.
	mask        func(t *shape)
	load, store func(t *shape, memory Mem, v reg.VecVirtual)
	// plain selects separate code for tiles of whole vectors, because masks are slow.
	plain bool
}

// masks holds one AVX vector of ones, then one of zeros.
var masks Mem

func main() {
	ConstraintExpr("!noasm")
	masks = GLOBL("masks", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i/4)-1))
	}
	for _, x := range []*number{double, single} {
		for _, s := range []*isa{avx512(x), avx2(x)} {
			s.adder()
			s.spreader()
		}
	}
	avx512(double).solver()
	avx2(double).solver()
	turnDouble()
	turnSingle()
	peak("peakAVX512", 24, ZMM)
	peak("peakAVX2", 12, YMM)
	vectors()
	Generate()
}

func (s *isa) adder() {
	name := "add" + s.title + s.suffix
	TEXT(name, NOSPLIT, fmt.Sprintf(signature, s.goType))
	Pragma("noescape")
	Doc(name+" is [adder] with "+s.needs+", for n from 1 to "+fmt.Sprint(3*s.lanes)+" columns.",
		"It reads and writes only elements of A, B and C.")
	t := &tile{
		shape: shape{isa: s}, row: load("a"), ars: s.bytes("ars"), aks: s.bytes("aks"),
		bks: s.bytes("bks"), c: load("c"), cs: s.bytes("cs"), m: load("m"),
	}
	t.ars3 = GP64()
	LEAQ(Mem{Base: t.ars, Index: t.ars, Scale: 2}, t.ars3)
	t.variants(t.panels)
}

// load returns a parameter in a register.
func load(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func avx512(x *number) *isa {
	var k reg.OpmaskVirtual
	lanes := 64 / x.size
	return &isa{
		number: x, title: "AVX512", needs: "AVX-512", lanes: lanes, heights: []int{8, 4, 2, 1},
		vector: ZMM,
		mask: func(t *shape) {
			count, ones := load("n"), GP64()
			SUBQ(U8(uint8(lanes*(t.vectors-1))), count)
			MOVQ(U64(1), ones)
			MOVQ(count, reg.RCX)
			SHLQ(reg.CL, ones)
			DECQ(ones)
			k = K()
			KMOVW(ones.As32(), k)
		},
		load:  func(_ *shape, memory Mem, v reg.VecVirtual) { x.loadMasked(memory, k, v) },
		store: func(_ *shape, memory Mem, v reg.VecVirtual) { x.move(v, k, memory) },
	}
}

func avx2(x *number) *isa {
	lanes := 32 / x.size
	var at reg.GPVirtual // address of the mask within masks
	withMask := func(t *shape, f func(mask reg.VecVirtual)) {
		mask := t.spare
		VMOVDQU(Mem{Base: at}, mask)
		f(mask)
	}
	return &isa{
		number: x, title: "AVX2", needs: "AVX2 and FMA", lanes: lanes, heights: []int{4, 2, 1}, plain: true,
		vector: YMM,
		mask: func(t *shape) {
			count := load("n")
			at = GP64()
			LEAQ(masks.Offset(32*t.vectors), at)
			SHLQ(U8(x.shift()), count)
			SUBQ(count, at)
		},
		load: func(t *shape, memory Mem, v reg.VecVirtual) {
			withMask(t, func(mask reg.VecVirtual) { x.moveMasked(memory, mask, v) })
		},
		store: func(t *shape, memory Mem, v reg.VecVirtual) {
			withMask(t, func(mask reg.VecVirtual) { x.moveMasked(v, mask, memory) })
		},
	}
}
