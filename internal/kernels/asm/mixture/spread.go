package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spreads is the number of variables whose two sums are in registers at a time.
const spreads = 6

// spread writes the kernel [kernels.spread].
func (s *isa) spread() {
	s.text("spread", "func(panels, vars int, x *float64, stride int, centre, r, sums, squares *float64)", "kernels.spread")
	x, stride, left := load("x"), bytes("stride"), load("vars")
	centre, first, second := load("centre"), load("sums"), load("squares")
	var low Mem
	if s.halves == 2 {
		low = AllocLocal(2 * spreads * 32)
	}
	piece := func(vars int) {
		sums := make([]reg.VecVirtual, 2*vars)
		for i := range sums {
			sums[i] = s.vector()
		}
		for half := range s.halves {
			for _, v := range sums {
				VXORPD(v, v, v)
			}
			p, r, count := GP64(), load("r"), load("panels")
			MOVQ(x, p)
			label := fmt.Sprintf("piece%d_%d", vars, half)
			Label(label)
			weight := s.vector()
			VMOVUPD(Mem{Base: r, Disp: 32 * half}, weight)
			for i := range vars {
				d, w := s.vector(), s.broadcast(Mem{Base: centre, Disp: 8 * i})
				VMOVUPD(Mem{Base: p, Disp: 64*i + 32*half}, d)
				VSUBPD(w, d, d)
				VMULPD(weight, d, w)
				VADDPD(w, sums[i], sums[i])
				VFMADD231PD(w, d, sums[vars+i])
			}
			ADDQ(stride, p)
			ADDQ(U8(64), r)
			DECQ(count)
			JNE(LabelRef(label))
			for i, v := range sums {
				if s.halves == 1 {
					break
				}
				if half == 0 {
					VMOVUPD(v, low.Offset(32*i))
				} else {
					VADDPD(low.Offset(32*i), v, v)
				}
			}
		}
		for i := 0; i < vars; i += 4 {
			to := min(i+4, vars)
			s.reduce(sums[i:to], Mem{Base: first, Disp: 8 * i})
			s.reduce(sums[vars+i:vars+to], Mem{Base: second, Disp: 8 * i})
		}
	}
	Label("strip")
	CMPQ(left, U8(spreads))
	JL(LabelRef("rest"))
	piece(spreads)
	ADDQ(U32(64*spreads), x)
	for _, p := range []reg.GPVirtual{centre, first, second} {
		ADDQ(U8(8*spreads), p)
	}
	SUBQ(U8(spreads), left)
	JMP(LabelRef("strip"))
	Label("rest")
	for h := 1; h < spreads; h++ {
		CMPQ(left, U8(uint8(h)))
		JE(LabelRef(fmt.Sprintf("rest%d", h)))
	}
	JMP(LabelRef("done"))
	for h := 1; h < spreads; h++ {
		Label(fmt.Sprintf("rest%d", h))
		piece(h)
		if h < spreads-1 {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// centre writes the kernel [kernels.centre].
func (s *isa) centre() {
	s.text("centre", "func(panels, vars int, x *float64, stride int, mean, d *float64)", "kernels.centre")
	x, d, stride, panels := load("x"), load("d"), bytes("stride"), load("panels")
	at, end := GP64(), load("vars")
	SHLQ(U8(6), end)
	Label("panel")
	mean := load("mean")
	XORQ(at, at)
	Label("variable")
	mu := s.broadcast(Mem{Base: mean})
	for h := range s.halves {
		v := s.vector()
		VMOVUPD(Mem{Base: x, Index: at, Scale: 1, Disp: 32 * h}, v)
		VSUBPD(mu, v, v)
		VMOVUPD(v, Mem{Base: d, Index: at, Scale: 1, Disp: 32 * h})
	}
	ADDQ(U8(8), mean)
	ADDQ(U8(64), at)
	CMPQ(at, end)
	JNE(LabelRef("variable"))
	ADDQ(stride, x)
	ADDQ(stride, d)
	DECQ(panels)
	JNE(LabelRef("panel"))
	VZEROUPPER()
	RET()
}
