package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// notGreater is the predicate of a comparison that holds for less, equal and NaN.
const notGreater = 0x1a

// replace sets an element of v to what f writes if the element of x is not greater than limit.
// F receives the destination and, for AVX-512, the mask.
func (s *isa) replace(x reg.VecVirtual, limit Op, v reg.VecVirtual, f func(ops ...Op)) {
	if s.size == 64 {
		k := K()
		VCMPPD(U8(notGreater), limit, x, k)
		f(k, v)
		return
	}
	mask, w := s.vector(), s.vector()
	VCMPPD(U8(notGreater), limit, x, mask)
	f(w)
	VBLENDVPD(mask, w, v, v)
}

// exp returns e to the powers of v, which are at most 0. The result is 0 from −600 down, and
// NaN for NaN.
func (s *isa) exp(v reg.VecVirtual) reg.VecVirtual {
	n, whole, r, e := s.vector(), s.vector(), s.vector(), s.vector()
	VMOVUPD(s.constant("magic"), n)
	VFMADD231PD(s.constant("log2 e"), v, n) // the low bits hold n
	VSUBPD(s.constant("magic"), n, whole)
	VMOVAPD(v, r)
	VFNMADD231PD(s.constant("ln2 high"), whole, r)
	VFNMADD231PD(s.constant("ln2 low"), whole, r)
	square, odd := s.vector(), s.vector()
	VMULPD(r, r, square)
	top := len(taylor) - 1
	VMOVUPD(s.constant(factorial(top)), odd)
	VMOVUPD(s.constant(factorial(top-1)), e)
	for i := top - 2; i > 1; i -= 2 {
		VFMADD213PD(s.constant(factorial(i)), square, odd)
		VFMADD213PD(s.constant(factorial(i-1)), square, e)
	}
	VFMADD231PD(odd, r, e)
	VFMADD213PD(r, square, e)
	VADDPD(s.constant("one"), e, e)
	VPSLLQ(U8(52), n, n)
	VPADDQ(n, e, e)
	zero := s.zero()
	s.replace(v, s.constant("negligible"), e, func(to ...Op) { VMAXPD(append([]Op{v, zero}, to...)...) })
	return e
}

// log returns the logarithms of x. An element of x is at least 1, or 0, or NaN.
func (s *isa) log(x reg.VecVirtual) reg.VecVirtual {
	e, f, two, q := s.vector(), s.vector(), s.vector(), s.vector()
	VMOVAPD(x, e)
	VPSUBQ(s.constant("root half"), e, e)
	VPSRLQ(U8(52), e, e)
	VPSLLQ(U8(52), e, f)
	VPSUBQ(f, x, f) // from √½ to √2
	if s.size == 64 {
		VPORQ(s.constant("2^52"), e, e)
	} else {
		VPOR(s.constant("2^52"), e, e)
	}
	VSUBPD(s.constant("2^52"), e, e)
	VSUBPD(s.constant("one"), f, f)
	VADDPD(s.constant("two"), f, two)
	VDIVPD(two, f, q)
	z, r, h := s.vector(), s.vector(), s.vector()
	VMULPD(q, q, z)
	VMOVUPD(s.constant("log 6"), r)
	for i := 5; i >= 0; i-- {
		VFMADD213PD(s.constant(fmt.Sprintf("log %d", i)), z, r)
	}
	VMULPD(z, r, r)
	VMULPD(s.constant("half"), f, h)
	VMULPD(f, h, h)
	VADDPD(h, r, r)
	low := s.vector()
	VMULPD(s.constant("ln2 low"), e, low)
	VFMADD213PD(low, q, r)
	VSUBPD(r, h, r)
	VSUBPD(f, r, r)
	VFMSUB132PD(s.constant("ln2 high"), r, e)
	zero := s.zero()
	s.replace(x, zero, e, func(to ...Op) { VADDPD(append([]Op{s.constant("minus inf"), x}, to...)...) })
	return e
}

// normalise writes the kernel [kernels.normalise].
func (s *isa) normalise() {
	s.text("normalise", "func(n, k, stride int, logd, logw, r, lse *float64)", "kernels.normalise")
	n, logd, r, lse, stride := load("n"), load("logd"), load("r"), load("lse"), bytes("stride")
	s.keep()
	Label("rows")
	d, w, left := GP64(), load("logw"), load("k")
	MOVQ(logd, d)
	top := s.vector()
	VMOVUPD(s.constant("minus inf"), top)
	joint := func() reg.VecVirtual {
		v := s.broadcast(Mem{Base: w})
		VADDPD(Mem{Base: d}, v, v)
		ADDQ(stride, d)
		ADDQ(U8(8), w)
		return v
	}
	Label("top")
	VMAXPD(joint(), top, top)
	DECQ(left)
	JNE(LabelRef("top"))

	base, sum := s.vector(), s.zero()
	VMAXPD(s.constant("minus most"), top, base)
	MOVQ(logd, d)
	w, left = load("logw"), load("k")
	to := GP64()
	MOVQ(r, to)
	Label("exp")
	v := joint()
	VSUBPD(base, v, v)
	e := s.exp(v)
	VADDPD(e, sum, sum)
	VMOVUPD(e, Mem{Base: to})
	ADDQ(stride, to)
	DECQ(left)
	JNE(LabelRef("exp"))

	by := s.vector()
	VMOVUPD(s.constant("one"), by)
	VDIVPD(sum, by, by)
	MOVQ(r, to)
	left = load("k")
	Label("divide")
	v = s.vector()
	VMULPD(Mem{Base: to}, by, v)
	VMOVUPD(v, Mem{Base: to})
	ADDQ(stride, to)
	DECQ(left)
	JNE(LabelRef("divide"))
	l := s.log(sum)
	VADDPD(l, top, l)
	VMOVUPD(l, Mem{Base: lse})
	for _, p := range []reg.GPVirtual{logd, r, lse} {
		ADDQ(U8(uint8(s.size)), p)
	}
	SUBQ(U8(uint8(s.size/8)), n)
	JNE(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// highest writes the kernel [kernels.highest].
func (s *isa) highest() {
	s.text("highest", "func(n int, x, top *float64)", "kernels.highest")
	n, x := load("n"), load("x")
	var top []reg.VecVirtual
	for range s.halves {
		v := s.vector()
		VMOVUPD(s.constant("minus inf"), v)
		top = append(top, v)
	}
	Label("rows")
	for h, v := range top {
		t := s.vector()
		VMOVUPD(Mem{Base: x, Disp: 32 * h}, t)
		VMAXPD(t, v, v)
	}
	ADDQ(U8(64), x)
	SUBQ(U8(8), n)
	JNE(LabelRef("rows"))
	to := load("top")
	for h, v := range top {
		VMOVUPD(v, Mem{Base: to, Disp: 32 * h})
	}
	VZEROUPPER()
	RET()
}

// entropy writes the kernel [kernels.entropy].
func (s *isa) entropy() {
	s.text("entropy", "func(n int, logd, r, lse *float64, logw, top float64, sums *float64)", "kernels.entropy")
	n, logd, r, lse := load("n"), load("logd"), load("r"), load("lse")
	logw, top := s.broadcast(address("logw")), s.broadcast(address("top"))
	s.keep()
	sums := make([][]reg.VecVirtual, 3)
	for i := range sums {
		for range s.halves {
			sums[i] = append(sums[i], s.zero())
		}
	}
	Label("rows")
	for h := range s.halves {
		v, l, least := s.vector(), s.vector(), s.vector()
		VMOVUPD(Mem{Base: logd, Disp: 32 * h}, v)
		VADDPD(v, logw, l)
		VSUBPD(Mem{Base: lse, Disp: 32 * h}, l, l)
		VMOVUPD(s.constant("negligible"), least)
		VMAXPD(l, least, l)
		VFMADD231PD(Mem{Base: r, Disp: 32 * h}, l, sums[2][h])
		VSUBPD(top, v, v)
		VMAXPD(v, least, least)
		e := s.exp(v)
		VADDPD(e, sums[0][h], sums[0][h])
		VFMADD231PD(e, least, sums[1][h])
	}
	for _, p := range []reg.GPVirtual{logd, r, lse} {
		ADDQ(U8(64), p)
	}
	SUBQ(U8(8), n)
	JNE(LabelRef("rows"))
	to := load("sums")
	var last []reg.VecVirtual
	for i := range sums {
		if s.halves == 2 {
			VADDPD(sums[i][1], sums[i][0], sums[i][0])
		}
		last = append(last, sums[i][0])
	}
	s.reduce(last, Mem{Base: to})
	VZEROUPPER()
	RET()
}
