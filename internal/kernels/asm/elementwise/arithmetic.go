package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// table repeats each constant sixteen times, so that it can be loaded as a vector.
var (
	table Mem
	index = map[uint32]int{}
)

func (s *isa) bits(b uint32) Mem {
	if len(index) == 0 {
		table = GLOBL("constants", RODATA|NOPTR)
	}
	at, ok := index[b]
	if !ok {
		at = 64 * len(index)
		index[b] = at
		for i := range 16 {
			DATA(at+4*i, U32(b))
		}
	}
	return table.Offset(at)
}

func (s *isa) constant(x float32) Mem { return s.bits(math.Float32bits(x)) }

// Each of these functions returns a new vector.

func (s *isa) of(from Op) vec {
	v := s.vector()
	VMOVUPS(from, v)
	return v
}

func (s *isa) plus(a vec, b Op) vec {
	v := s.vector()
	VADDPS(b, a, v)
	return v
}

func (s *isa) minus(a vec, b Op) vec {
	v := s.vector()
	VSUBPS(b, a, v)
	return v
}

func (s *isa) times(a vec, b Op) vec {
	v := s.vector()
	VMULPS(b, a, v)
	return v
}

func (s *isa) over(a vec, b Op) vec {
	v := s.vector()
	VDIVPS(b, a, v)
	return v
}

func (s *isa) and(a vec, b Op) vec {
	v := s.vector()
	VANDPS(b, a, v)
	return v
}

func (s *isa) or(a vec, b Op) vec {
	v := s.vector()
	VORPS(b, a, v)
	return v
}

// larger returns a where it is greater than b, otherwise b, which may be NaN.
func (s *isa) larger(a vec, b Op) vec {
	v := s.vector()
	VMAXPS(b, a, v)
	return v
}

// smaller returns a where it is less than b, otherwise b, which may be NaN.
func (s *isa) smaller(a vec, b Op) vec {
	v := s.vector()
	VMINPS(b, a, v)
	return v
}

func (s *isa) abs(x vec) vec { return s.and(x, s.bits(1<<31-1)) }

func (s *isa) negative(x vec) vec {
	v := s.vector()
	VXORPS(s.bits(1<<31), x, v)
	return v
}

// Predicates of comparisons, all quiet.
const (
	less       = 0x11 // and not NaN
	notLess    = 0x15 // or NaN
	greater    = 0x1e // and not NaN
	notAtLeast = 0x19 // or NaN
	atLeast    = 0x1d
	atMost     = 0x12
)

// choose returns yes where the comparison of a with b holds, otherwise no. It overwrites no.
func (s *isa) choose(predicate uint8, a vec, b Op, yes, no vec) vec {
	if s.size == 64 {
		k := K()
		VCMPPS(U8(predicate), b, a, k)
		VMOVAPS(yes, k, no)
		return no
	}
	mask := s.vector()
	VCMPPS(U8(predicate), b, a, mask)
	VBLENDVPS(mask, yes, no, no)
	return no
}

// where returns v where the comparison of a with b holds, otherwise 0.
func (s *isa) where(predicate uint8, a vec, b Op, v vec) vec {
	w := s.vector()
	if s.size == 64 {
		k := K()
		VCMPPS(U8(predicate), b, a, k)
		VMOVAPS_Z(v, k, w)
		return w
	}
	VCMPPS(U8(predicate), b, a, w)
	VANDPS(v, w, w)
	return w
}

// kept returns x, or 0 where it is smaller than limit.
func (s *isa) kept(x vec, limit float32) vec {
	return s.where(notLess, s.abs(x), s.constant(limit), x)
}

// polynomial returns the polynomial in x with the given coefficients, highest power first.
func (s *isa) polynomial(x vec, coefficients []float32) vec {
	p := s.of(s.constant(coefficients[0]))
	for _, c := range coefficients[1:] {
		VMULPS(x, p, p)
		VADDPS(s.constant(c), p, p)
	}
	return p
}

// floats converts whole numbers to float32.
func (s *isa) floats(x vec) vec {
	v := s.vector()
	VCVTDQ2PS(x, v)
	return v
}

// integers returns f(a, b), where f is an instruction on whole numbers.
func (s *isa) integers(f func(ops ...Op), b Op, a vec) vec {
	v := s.vector()
	f(b, a, v)
	return v
}
