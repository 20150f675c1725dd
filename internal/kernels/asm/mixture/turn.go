package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turn writes the kernel [kernels.turn]: squares of 4×4 whose halves of rows are joined as they
// are loaded, then single variables.
func turn() {
	TEXT("turnAVX", NOSPLIT, "func(panels, vars int, rows, x *float64, stride int)")
	Pragma("noescape")
	Doc("turnAVX is kernels.turn, with AVX.")
	rows, x, panels, stride := load("rows"), load("x"), load("panels"), bytes("stride")
	width := bytes("vars")
	width3 := GP64()
	LEAQ(Mem{Base: width, Index: width, Scale: 2}, width3)
	Label("panel")
	for half := range 2 {
		from, to, left := GP64(), GP64(), load("vars")
		MOVQ(rows, from)
		LEAQ(Mem{Base: x, Disp: 32 * half}, to)
		place := func(i int) Mem {
			m := Mem{Base: from}
			switch i {
			case 1:
				m.Index, m.Scale = width, 1
			case 2:
				m.Index, m.Scale = width, 2
			case 3:
				m.Index, m.Scale = width3, 1
			}
			return m
		}
		squares, singles, done := fmt.Sprintf("squares%d", half), fmt.Sprintf("singles%d", half), fmt.Sprintf("done%d", half)
		Label(squares)
		CMPQ(left, U8(4))
		JL(LabelRef(singles))
		columns := make([]reg.VecVirtual, 4)
		for h := 0; h < 4; h += 2 { // half of each row, from column h on
			even, odd := YMM(), YMM()
			VMOVUPD(place(0).Offset(8*h), even.AsX())
			VMOVUPD(place(1).Offset(8*h), odd.AsX())
			VINSERTF128(U8(1), place(2).Offset(8*h), even, even)
			VINSERTF128(U8(1), place(3).Offset(8*h), odd, odd)
			columns[h], columns[h+1] = YMM(), YMM()
			VUNPCKLPD(odd, even, columns[h])
			VUNPCKHPD(odd, even, columns[h+1])
		}
		for i, v := range columns {
			VMOVUPD(v, Mem{Base: to, Disp: 64 * i})
		}
		ADDQ(U8(32), from)
		ADDQ(U32(256), to)
		SUBQ(U8(4), left)
		JMP(LabelRef(squares))
		Label(singles)
		TESTQ(left, left)
		JE(LabelRef(done))
		low, high := XMM(), XMM()
		VMOVSD(place(0), low)
		VMOVHPD(place(1), low, low)
		VMOVSD(place(2), high)
		VMOVHPD(place(3), high, high)
		VMOVUPD(low, Mem{Base: to})
		VMOVUPD(high, Mem{Base: to, Disp: 16})
		ADDQ(U8(8), from)
		ADDQ(U8(64), to)
		DECQ(left)
		JMP(LabelRef(singles))
		Label(done)
		LEAQ(Mem{Base: rows, Index: width, Scale: 4}, rows)
	}
	ADDQ(stride, x)
	DECQ(panels)
	JNE(LabelRef("panel"))
	VZEROUPPER()
	RET()
}
