package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turn writes a turner by squares of 4×4. Halves of rows are joined as they are
// loaded, so that one shuffle a column is left.
func turn() {
	TEXT("turnAVX", NOSPLIT, "func(k int, from *float64, row1, row2, row3 int, to *float64, stride int)")
	Pragma("noescape")
	Doc("turnAVX is [turner] with AVX, where the first row begins at from.")
	from, to, k := load("from"), load("to"), load("k")
	row1, row2, row3 := bytes("row1"), bytes("row2"), bytes("row3")
	stride, stride3 := bytes("stride"), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("turn_loop")
	columns := make([]reg.VecVirtual, 4)
	for h := 0; h < 4; h += 2 { // the half of the rows from column h on
		even, odd := YMM(), YMM()
		VMOVUPD(Mem{Base: from, Disp: 8 * h}, even.AsX())
		VMOVUPD(Mem{Base: from, Index: row1, Scale: 1, Disp: 8 * h}, odd.AsX())
		VINSERTF128(U8(1), Mem{Base: from, Index: row2, Scale: 1, Disp: 8 * h}, even, even)
		VINSERTF128(U8(1), Mem{Base: from, Index: row3, Scale: 1, Disp: 8 * h}, odd, odd)
		columns[h], columns[h+1] = YMM(), YMM()
		VUNPCKLPD(odd, even, columns[h])
		VUNPCKHPD(odd, even, columns[h+1])
	}
	for i, v := range columns {
		VMOVUPD(v, row([]reg.GPVirtual{to}, i, stride, stride3))
	}
	ADDQ(U8(32), from)
	LEAQ(Mem{Base: to, Index: stride, Scale: 4}, to)
	SUBQ(U8(4), k)
	JNE(LabelRef("turn_loop"))
	VZEROUPPER()
	RET()
}
