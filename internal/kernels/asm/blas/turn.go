package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turnDouble writes a turner by squares of 4×4. It joins halves of rows as it loads them, so
// that one shuffle per column remains.
func turnDouble() {
	turner(double, func(from reg.GPVirtual, rows [3]reg.GPVirtual) []reg.VecVirtual {
		columns := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
		for h := 0; h < 4; h += 2 { // half of each row, from column h on
			even, odd := YMM(), YMM()
			VMOVUPD(Mem{Base: from, Disp: 8 * h}, even.AsX())
			VMOVUPD(Mem{Base: from, Index: rows[0], Scale: 1, Disp: 8 * h}, odd.AsX())
			VINSERTF128(U8(1), Mem{Base: from, Index: rows[1], Scale: 1, Disp: 8 * h}, even, even)
			VINSERTF128(U8(1), Mem{Base: from, Index: rows[2], Scale: 1, Disp: 8 * h}, odd, odd)
			VUNPCKLPD(odd, even, columns[h])
			VUNPCKHPD(odd, even, columns[h+1])
		}
		return columns
	})
}

// turnSingle is turnDouble for float32, in vectors of four numbers.
func turnSingle() {
	turner(single, func(from reg.GPVirtual, rows [3]reg.GPVirtual) []reg.VecVirtual {
		in := []reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
		VMOVUPS(Mem{Base: from}, in[0])
		for i, r := range rows {
			VMOVUPS(Mem{Base: from, Index: r, Scale: 1}, in[i+1])
		}
		columns := []reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
		for h := 0; h < 4; h += 2 {
			first, last := XMM(), XMM() // two numbers each of rows 0 and 1, and of rows 2 and 3
			unpack := VUNPCKLPS
			if h == 2 {
				unpack = VUNPCKHPS
			}
			unpack(in[1], in[0], first)
			unpack(in[3], in[2], last)
			VUNPCKLPD(last, first, columns[h])
			VUNPCKHPD(last, first, columns[h+1])
		}
		return columns
	})
}

// turner writes the loop around a square of 4×4.
func turner(x *number, square func(from reg.GPVirtual, rows [3]reg.GPVirtual) []reg.VecVirtual) {
	name := "turnAVX" + x.suffix
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, from *%[1]s, row1, row2, row3 int, to *%[1]s, stride int)", x.goType))
	Pragma("noescape")
	Doc(name + " is [turner] with AVX, where the first row begins at from.")
	from, to, k := load("from"), load("to"), load("k")
	rows := [3]reg.GPVirtual{x.bytes("row1"), x.bytes("row2"), x.bytes("row3")}
	stride, stride3 := x.bytes("stride"), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("turn_loop")
	for i, v := range square(from, rows) {
		x.move(v, row([]reg.GPVirtual{to}, i, stride, stride3))
	}
	ADDQ(U8(uint8(4*x.size)), from)
	LEAQ(Mem{Base: to, Index: stride, Scale: 4}, to)
	SUBQ(U8(4), k)
	JNE(LabelRef("turn_loop"))
	VZEROUPPER()
	RET()
}
