package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows is the code for a tile of some rows by some vectors of B. The tile stays in registers
// until it is solved.
type rows struct {
	shape
	m, done                  reg.GPVirtual // rows left, and rows solved
	a, ars, ars3, aks, b, bs reg.GPVirtual // row of A and of B, and their strides
}

// solver writes a [solver] for float64.
func (s *isa) solver() {
	name := "solve" + s.title
	TEXT(name, NOSPLIT, "func(m, n int, a *float64, ars, aks, unit int, b *float64, bs int)")
	Pragma("noescape")
	Doc(name+" is [solver] with "+s.needs+", for n from 1 to "+fmt.Sprint(3*s.lanes)+" columns,",
		"where A and B begin at a and b, and unit is 1 or 0. It reads and writes only",
		"elements of A and B.")
	t := &rows{
		shape: shape{isa: s}, m: load("m"), done: GP64(), a: load("a"), ars: s.bytes("ars"), ars3: GP64(), aks: s.bytes("aks"),
		b: load("b"), bs: s.bytes("bs"),
	}
	XORQ(t.done, t.done)
	LEAQ(Mem{Base: t.ars, Index: t.ars, Scale: 2}, t.ars3)
	t.variants(func() {
		Label(t.variant + "_start")
		for i, height := range t.heights {
			name := fmt.Sprintf("%s_rows%d", t.variant, height)
			Label(name)
			CMPQ(t.m, U32(uint32(height)))
			JL(LabelRef(name + "_done"))
			t.tile(name, height)
			SUBQ(U8(uint8(height)), t.m)
			ADDQ(U8(uint8(height)), t.done)
			if i == 0 {
				JMP(LabelRef(name))
			}
			Label(name + "_done")
		}
		VZEROUPPER()
		RET()
	})
}

// tile writes code that solves height rows of B and advances. Whatever the tile, products are
// subtracted from an element in the order of the rows above: first the solved rows, then the
// rows of the tile itself.
func (t *rows) tile(name string, height int) {
	x := make([][]reg.VecVirtual, height)
	t.spare = t.vector()
	t.eachRow(height, func(i int, row Mem) {
		for j := range t.vectors {
			v := t.vector()
			t.read(row, j, v)
			x[i] = append(x[i], v)
		}
	})
	at := []reg.GPVirtual{GP64()} // addresses of rows 0 and 4 of A
	MOVQ(t.a, at[0])
	if height > 4 {
		at = append(at, GP64())
		LEAQ(Mem{Base: t.a, Index: t.ars, Scale: 4}, at[1])
	}
	t.above(name, at, x)
	t.within(name, at, x)
	t.eachRow(height, func(i int, row Mem) {
		for j, v := range x[i] {
			t.write(v, row, j)
		}
	})
	LEAQ(Mem{Base: t.a, Index: t.ars, Scale: uint8(height)}, t.a)
	LEAQ(Mem{Base: t.b, Index: t.bs, Scale: uint8(height)}, t.b)
}

// above subtracts the products with the solved rows.
func (t *rows) above(name string, at []reg.GPVirtual, x [][]reg.VecVirtual) {
	b, k := load("b"), GP64()
	MOVQ(t.done, k)
	TESTQ(k, k)
	JE(LabelRef(name + "_within"))
	Label(name + "_above")
	solved, y := make([]reg.VecVirtual, t.vectors), t.vector()
	t.spare = y
	for j := range solved {
		solved[j] = t.vector()
		t.read(Mem{Base: b}, j, solved[j])
	}
	for i := range x {
		t.broadcast(row(at, i, t.ars, t.ars3), y)
		for j, v := range solved {
			VFNMADD231PD(v, y, x[i][j])
		}
	}
	for _, r := range at {
		ADDQ(t.aks, r)
	}
	ADDQ(t.bs, b)
	DECQ(k)
	JNE(LabelRef(name + "_above"))
	Label(name + "_within")
}

// within solves the tile itself, column by column of A.
func (t *rows) within(name string, at []reg.GPVirtual, x [][]reg.VecVirtual) {
	y, unit := t.vector(), load("unit")
	t.spare = t.vector()
	for i := range x {
		divided := fmt.Sprintf("%s_divided%d", name, i)
		TESTQ(unit, unit)
		JNE(LabelRef(divided))
		t.broadcast(row(at, i, t.ars, t.ars3), y)
		for j := range x[i] {
			VDIVPD(y, x[i][j], x[i][j])
		}
		Label(divided)
		for below := i + 1; below < len(x); below++ {
			t.broadcast(row(at, below, t.ars, t.ars3), y)
			for j, v := range x[i] {
				VFNMADD231PD(v, y, x[below][j])
			}
		}
		for _, r := range at {
			ADDQ(t.aks, r)
		}
	}
}

// eachRow calls f with the rows of B in the tile.
func (t *rows) eachRow(height int, f func(i int, row Mem)) {
	bs3 := GP64()
	LEAQ(Mem{Base: t.bs, Index: t.bs, Scale: 2}, bs3)
	at := []reg.GPVirtual{t.b}
	if height > 4 {
		at = append(at, GP64())
		LEAQ(Mem{Base: t.b, Index: t.bs, Scale: 4}, at[1])
	}
	for i := range height {
		f(i, row(at, i, t.bs, bs3))
	}
}
