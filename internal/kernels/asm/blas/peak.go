package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peak writes a loop of fused multiply-adds that depend only on themselves, in more chains than
// any processor needs.
func peak(name string, chains int, vector func() reg.VecVirtual) {
	TEXT(name, NOSPLIT, "func(rounds int)")
	Doc(name + " runs the given number of rounds, at least 1, of one fused multiply-add per chain, in registers.")
	rounds := load("rounds")
	sums := make([]reg.VecVirtual, chains)
	for i := range sums {
		sums[i] = vector()
		VXORPD(sums[i], sums[i], sums[i])
	}
	x := vector()
	VXORPD(x, x, x)
	Label("loop")
	for _, s := range sums {
		VFMADD231PD(x, x, s)
	}
	DECQ(rounds)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
