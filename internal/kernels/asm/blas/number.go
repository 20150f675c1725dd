package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// number holds the differences between the two types of numbers.
type number struct {
	goType, suffix string
	size           int // in bytes

	move, broadcast        func(operands ...Op)
	fma231, fma213         func(operands ...Op)
	loadMasked, moveMasked func(from, mask, to Op) // for AVX-512, and for AVX
}

var (
	double = &number{
		"float64", "", 8,
		VMOVUPD, VBROADCASTSD,
		VFMADD231PD, VFMADD213PD,
		VMOVUPD_Z, VMASKMOVPD,
	}
	single = &number{
		"float32", "Single", 4,
		VMOVUPS, VBROADCASTSS,
		VFMADD231PS, VFMADD213PS,
		VMOVUPS_Z, VMASKMOVPS,
	}
)

func (x *number) shift() uint8 { return uint8(bits.TrailingZeros(uint(x.size))) }

// bytes returns a parameter that counts numbers, converted to bytes.
func (x *number) bytes(name string) reg.GPVirtual {
	r := load(name)
	SHLQ(U8(x.shift()), r)
	return r
}
