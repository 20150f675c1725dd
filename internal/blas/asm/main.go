// Asm writes the assembly of package blas: go generate in that package runs it.
// It is a module of its own, so that avo is no dependency of the program.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// signature of an adder of numbers of a type.
const signature = "func(m, n, k int, alpha %[1]s, a *%[1]s, ars, aks int, b *%[1]s, bks int, c *%[1]s, cs int)"

// isa is what differs between the two instruction sets.
type isa struct {
	*number
	name, title string
	lanes       int   // elements of a vector
	heights     []int // rows of the tiles, from the highest; each but the first half of the one before
	vector      func() reg.VecVirtual
	// mask prepares load and store for n-lanes*(vectors-1) elements of the last vector.
	mask        func(t *tile)
	load, store func(t *tile, memory Mem, v reg.VecVirtual)
	// plain has tiles of whole vectors made apart, as masks cost too much.
	plain bool
}

// masks is ones as long as a vector of AVX, and as many zeros.
var masks Mem

func main() {
	ConstraintExpr("!noasm")
	masks = GLOBL("masks", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i/4)-1))
	}
	for _, x := range []*number{double, single} {
		avx512(x).generate()
		avx2(x).generate()
	}
	turnDouble()
	turnSingle()
	peak("peakAVX512", 24, ZMM)
	peak("peakAVX2", 12, YMM)
	vectors()
	Generate()
}

func (s *isa) generate() {
	TEXT(s.name, NOSPLIT, fmt.Sprintf(signature, s.goType))
	Pragma("noescape")
	Doc(s.name+" is [adder] with "+s.title+", for n from 1 to "+fmt.Sprint(3*s.lanes)+" columns.",
		"It reads and writes no element that is not of A, B or C.")
	t := &tile{
		isa: s, row: load("a"), ars: s.bytes("ars"), aks: s.bytes("aks"),
		bks: s.bytes("bks"), c: load("c"), cs: s.bytes("cs"), m: load("m"),
	}
	t.ars3 = GP64()
	LEAQ(Mem{Base: t.ars, Index: t.ars, Scale: 2}, t.ars3)
	n := load("n")
	for t.vectors = 1; t.vectors <= 3; t.vectors++ {
		t.variant = fmt.Sprintf("vectors%d", t.vectors)
		if t.vectors < 3 {
			CMPQ(n, U32(uint32(s.lanes*t.vectors)))
			JG(LabelRef("more" + t.variant))
		}
		t.masked = true
		if s.plain {
			CMPQ(n, U32(uint32(s.lanes*t.vectors)))
			JE(LabelRef(t.variant + "whole_start"))
		}
		s.mask(t)
		t.panels()
		if s.plain {
			t.variant += "whole"
			t.masked = false
			t.panels()
		}
		if t.vectors < 3 {
			Label("more" + fmt.Sprintf("vectors%d", t.vectors))
		}
	}
}

// load returns a parameter in a register.
func load(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func avx512(x *number) *isa {
	var k reg.OpmaskVirtual
	lanes := 64 / x.size
	return &isa{
		number: x, name: "addAVX512" + x.suffix, title: "AVX-512", lanes: lanes, heights: []int{8, 4, 2, 1},
		vector: ZMM,
		mask: func(t *tile) {
			count, ones := load("n"), GP64()
			SUBQ(U8(uint8(lanes*(t.vectors-1))), count)
			MOVQ(U64(1), ones)
			MOVQ(count, reg.RCX)
			SHLQ(reg.CL, ones)
			DECQ(ones)
			k = K()
			KMOVW(ones.As32(), k)
		},
		load:  func(_ *tile, memory Mem, v reg.VecVirtual) { x.loadMasked(memory, k, v) },
		store: func(_ *tile, memory Mem, v reg.VecVirtual) { x.move(v, k, memory) },
	}
}

func avx2(x *number) *isa {
	lanes := 32 / x.size
	var at reg.GPVirtual // what of masks is the mask
	withMask := func(t *tile, f func(mask reg.VecVirtual)) {
		mask := t.spare
		VMOVDQU(Mem{Base: at}, mask)
		f(mask)
	}
	return &isa{
		number: x, name: "addAVX2" + x.suffix, title: "AVX2 and FMA", lanes: lanes, heights: []int{4, 2, 1}, plain: true,
		vector: YMM,
		mask: func(t *tile) {
			count := load("n")
			at = GP64()
			LEAQ(masks.Offset(32*t.vectors), at)
			SHLQ(U8(x.shift()), count)
			SUBQ(count, at)
		},
		load: func(t *tile, memory Mem, v reg.VecVirtual) {
			withMask(t, func(mask reg.VecVirtual) { x.moveMasked(memory, mask, v) })
		},
		store: func(t *tile, memory Mem, v reg.VecVirtual) {
			withMask(t, func(mask reg.VecVirtual) { x.moveMasked(v, mask, memory) })
		},
	}
}
