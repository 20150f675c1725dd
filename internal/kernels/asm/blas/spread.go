package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// spreader writes a spreader that reads each row from end to end.
func (s *isa) spreader() {
	name := "spread" + s.title + s.suffix
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k, panels int, from *%[1]s, row int, to *%[1]s, step int)", s.goType))
	Pragma("noescape")
	Doc(name + " is [spreader] with " + s.needs + ", for panels of " + fmt.Sprint(3*s.lanes) + " columns.")
	const vectors = 3
	k, panels, from, row, to, step := load("k"), load("panels"), load("from"), s.bytes("row"), load("to"), s.bytes("step")
	left, x, y := GP64(), GP64(), GP64()
	Label("row")
	MOVQ(panels, left)
	MOVQ(from, x)
	MOVQ(to, y)
	Label("panel")
	for j := range vectors {
		v := s.vector()
		s.move(Mem{Base: x, Disp: s.size * s.lanes * j}, v)
		s.move(v, Mem{Base: y, Disp: s.size * s.lanes * j})
	}
	ADDQ(U32(uint32(s.size*s.lanes*vectors)), x)
	ADDQ(step, y)
	DECQ(left)
	JNE(LabelRef("panel"))
	ADDQ(row, from)
	ADDQ(U32(uint32(s.size*s.lanes*vectors)), to)
	DECQ(k)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
