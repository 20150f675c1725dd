package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shape is the width of a row: a number of vectors, the last of them whole or partial.
type shape struct {
	*isa
	vectors int
	masked  bool   // the last vector has n%lanes elements
	variant string // begins the labels

	spare reg.VecVirtual // scratch vector for masks, on instruction sets whose masks are vectors
}

// variants writes code for each width up to parameter n. Body writes the code for one width,
// which ends with a return.
func (t *shape) variants(body func()) {
	n := load("n")
	for t.vectors = 1; t.vectors <= 3; t.vectors++ {
		t.variant = fmt.Sprintf("vectors%d", t.vectors)
		if t.vectors < 3 {
			CMPQ(n, U32(uint32(t.lanes*t.vectors)))
			JG(LabelRef("more" + t.variant))
		}
		t.masked = true
		if t.plain {
			CMPQ(n, U32(uint32(t.lanes*t.vectors)))
			JE(LabelRef(t.variant + "whole_start"))
		}
		t.mask(t)
		body()
		if t.plain {
			t.variant += "whole"
			t.masked = false
			body()
		}
		if t.vectors < 3 {
			Label("more" + fmt.Sprintf("vectors%d", t.vectors))
		}
	}
}

// read loads vector j of a row.
func (t *shape) read(row Mem, j int, v reg.VecVirtual) {
	memory := row.Offset(t.size * t.lanes * j)
	if t.masked && j == t.vectors-1 {
		t.load(t, memory, v)
	} else {
		t.move(memory, v)
	}
}

// write stores vector j of a row.
func (t *shape) write(v reg.VecVirtual, row Mem, j int) {
	memory := row.Offset(t.size * t.lanes * j)
	if t.masked && j == t.vectors-1 {
		t.store(t, memory, v)
	} else {
		t.move(v, memory)
	}
}
