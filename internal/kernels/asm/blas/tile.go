package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tile is the code for a tile of some rows by some vectors of C. Its sums stay in registers
// from the first k to the last.
type tile struct {
	shape
	m, row, ars, ars3, aks, bks, c, cs reg.GPVirtual
}

// panels writes code for all rows: tiles of the greatest height, then at most one tile of each
// smaller height.
func (t *tile) panels() {
	Label(t.variant + "_start")
	for i, height := range t.heights {
		name := fmt.Sprintf("%s_rows%d", t.variant, height)
		Label(name)
		CMPQ(t.m, U32(uint32(height)))
		JL(LabelRef(name + "_done"))
		t.tile(name, height)
		SUBQ(U8(uint8(height)), t.m)
		if i == 0 {
			JMP(LabelRef(name))
		}
		Label(name + "_done")
	}
	VZEROUPPER()
	RET()
}

// tile writes code that adds alpha·A·B to height rows of C and advances.
func (t *tile) tile(name string, height int) {
	sums := make([][]reg.VecVirtual, height)
	for i := range sums {
		for range t.vectors {
			v := t.vector()
			VXORPD(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	at := []reg.GPVirtual{GP64()} // addresses of rows 0 and 4
	MOVQ(t.row, at[0])
	if height > 4 {
		at = append(at, GP64())
		LEAQ(Mem{Base: t.row, Index: t.ars, Scale: 4}, at[1])
	}
	t.products(name, at, sums)
	t.add(name, sums)
	LEAQ(Mem{Base: t.row, Index: t.ars, Scale: uint8(height)}, t.row)
}

// products writes the loop over k. Each sum is one chain of fused multiply-adds from the first
// k to the last, whatever the tile. So results are the same for all tiles and instruction sets.
func (t *tile) products(name string, at []reg.GPVirtual, sums [][]reg.VecVirtual) {
	b, k := load("b"), load("k")
	Label(name + "_loop")
	x := make([]reg.VecVirtual, t.vectors)
	y := t.vector()
	t.spare = y
	for j := range x {
		x[j] = t.vector()
		t.read(Mem{Base: b}, j, x[j])
	}
	for i := range sums {
		t.broadcast(row(at, i, t.ars, t.ars3), y)
		for j := range x {
			t.fma231(x[j], y, sums[i][j])
		}
	}
	for _, r := range at {
		ADDQ(t.aks, r)
	}
	ADDQ(t.bks, b)
	DECQ(k)
	JNE(LabelRef(name + "_loop"))
}

// add writes C = alpha·sums + C, fused, and moves C down; if C is fresh, it counts as zeros. It
// reads all elements before it writes any: a load is slow after a masked store that left out
// some of its elements. Where rows of C are short, the next row would be such a load.
func (t *tile) add(name string, sums [][]reg.VecVirtual) {
	alpha, y := t.vector(), t.vector()
	parameter, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	t.broadcast(parameter.Addr, alpha)
	t.spare = t.vector()
	cs3 := GP64()
	LEAQ(Mem{Base: t.cs, Index: t.cs, Scale: 2}, cs3)
	at := []reg.GPVirtual{t.c}
	if len(sums) > 4 {
		at = append(at, GP64())
		LEAQ(Mem{Base: t.c, Index: t.cs, Scale: 4}, at[1])
	}
	fresh := Load(Param("fresh"), GP8())
	TESTB(fresh, fresh)
	JE(LabelRef(name + "_old"))
	VXORPD(y, y, y)
	for i := range sums {
		for _, sum := range sums[i] {
			t.fma213(y, alpha, sum)
		}
	}
	JMP(LabelRef(name + "_write"))
	Label(name + "_old")
	for i := range sums {
		for j, sum := range sums[i] {
			memory := row(at, i, t.cs, cs3).Offset(t.size * t.lanes * j)
			if t.masked && j == t.vectors-1 {
				t.load(&t.shape, memory, y)
				t.fma213(y, alpha, sum)
			} else {
				t.fma213(memory, alpha, sum)
			}
		}
	}
	Label(name + "_write")
	for i := range sums {
		for j, sum := range sums[i] {
			t.write(sum, row(at, i, t.cs, cs3), j)
		}
	}
	LEAQ(Mem{Base: t.c, Index: t.cs, Scale: uint8(len(sums))}, t.c)
}

// row returns the address of row i of rows that are stride bytes apart. At holds the addresses
// of rows 0 and 4, and stride3 is 3·stride.
func row(at []reg.GPVirtual, i int, stride, stride3 reg.GPVirtual) Mem {
	memory := Mem{Base: at[i/4]}
	switch i % 4 {
	case 1:
		memory.Index, memory.Scale = stride, 1
	case 2:
		memory.Index, memory.Scale = stride, 2
	case 3:
		memory.Index, memory.Scale = stride3, 1
	}
	return memory
}
