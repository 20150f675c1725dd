package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reduce adds the sums of up to four vectors to the numbers at to, one each, and adds 0 to the
// numbers after them, up to four in all. A vector of 8 elements is summed as
//
//	((v0+v4) + (v1+v5)) + ((v2+v6) + (v3+v7))
//
// and a vector of 4 already holds the sums of two halves.
func (s *isa) reduce(v []reg.VecVirtual, to Mem) {
	v = slices.Clone(v)
	for len(v) < 4 {
		v = append(v, s.zero())
	}
	if s.size == 64 {
		s.reduceHalves(v, to)
		return
	}
	a, b, c := YMM(), YMM(), YMM()
	VHADDPD(v[1], v[0], a)
	VHADDPD(v[3], v[2], b)
	VPERM2F128(U8(0x20), b, a, c)
	VPERM2F128(U8(0x31), b, a, a)
	VADDPD(a, c, c)
	VADDPD(to, c, c)
	VMOVUPD(c, to)
}

func (s *isa) reduceHalves(v []reg.VecVirtual, to Mem) {
	fold := func(a, b reg.VecVirtual) reg.VecVirtual { // 4 lanes of a, 4 of b
		low, high := ZMM(), ZMM()
		VSHUFF64X2(U8(0x44), b, a, low)
		VSHUFF64X2(U8(0xee), b, a, high)
		VADDPD(high, low, low)
		return low
	}
	x, y := fold(v[0], v[2]), fold(v[1], v[3])
	even, odd := ZMM(), ZMM()
	VUNPCKLPD(y, x, even)
	VUNPCKHPD(y, x, odd)
	VADDPD(odd, even, even) // v0 v1 twice, then v2 v3 twice
	VSHUFF64X2(U8(0xb1), even, even, odd)
	VADDPD(odd, even, even)
	VSHUFF64X2(U8(0x08), even, even, even)
	sum := even.AsY()
	VADDPD(to, sum, sum)
	VMOVUPD(sum, to)
}

// scatter writes the kernel [kernels.scatter]. The upper triangle is cut into strips of rows; a
// strip is a triangle at the diagonal and rectangles.
func (s *isa) scatter() {
	s.text("scatter", "func(panels, vars int, x *float64, stride int, r, w, c *float64, ldc int)", "kernels.scatter")
	t := &tiles{isa: s, x: load("x"), c: load("c"), stride: bytes("stride"), ldc: bytes("ldc")}
	if s.halves == 2 {
		t.low = AllocLocal(s.height * s.height * 32)
	}
	left := load("vars")
	Label("strip")
	CMPQ(left, U8(uint8(s.height)))
	JL(LabelRef("rest"))
	t.tile(t.x, t.c, s.height, 0)
	x, c, right := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: t.x, Disp: 64 * s.height}, x)
	LEAQ(Mem{Base: t.c, Disp: 8 * s.height}, c)
	MOVQ(left, right)
	SUBQ(U8(uint8(s.height)), right)
	Label("columns")
	CMPQ(right, U8(uint8(s.width)))
	JL(LabelRef("edge"))
	t.tile(x, c, s.height, s.width)
	ADDQ(U32(uint32(64*s.width)), x)
	ADDQ(U8(uint8(8*s.width)), c)
	SUBQ(U8(uint8(s.width)), right)
	JMP(LabelRef("columns"))
	Label("edge")
	for w := 1; w < s.width; w++ {
		CMPQ(right, U8(uint8(w)))
		JE(LabelRef(fmt.Sprintf("edge%d", w)))
	}
	JMP(LabelRef("next"))
	for w := 1; w < s.width; w++ {
		Label(fmt.Sprintf("edge%d", w))
		t.tile(x, c, s.height, w)
		if w < s.width-1 {
			JMP(LabelRef("next"))
		}
	}
	Label("next")
	ADDQ(U32(uint32(64*s.height)), t.x)
	for range s.height {
		LEAQ(Mem{Base: t.c, Index: t.ldc, Scale: 1, Disp: 8}, t.c)
	}
	SUBQ(U8(uint8(s.height)), left)
	JMP(LabelRef("strip"))
	Label("rest")
	for h := 1; h < s.height; h++ {
		CMPQ(left, U8(uint8(h)))
		JE(LabelRef(fmt.Sprintf("rest%d", h)))
	}
	JMP(LabelRef("done"))
	for h := 1; h < s.height; h++ {
		Label(fmt.Sprintf("rest%d", h))
		t.tile(t.x, t.c, h, 0)
		if h < s.height-1 {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}

type tiles struct {
	*isa
	x, c, stride, ldc reg.GPVirtual // at the first variable of the strip
	low               Mem           // sums of the lower halves of panels
	count             int
}

// tile writes the code of the tile of C at c, the columns being the variables at x:
// height rows by width columns, or the triangle of height rows if width is 0. Its sums
// stay in registers. The triangle leaves the weighted variables of its strip in w, for
// the rectangles beside it.
func (t *tiles) tile(x, c reg.GPVirtual, height, width int) {
	t.count++
	first := func(i int) int { return 0 }
	diagonal := width == 0
	if diagonal {
		width = height
		first = func(i int) int { return i }
	}
	sums := make([][]reg.VecVirtual, height)
	for i := range sums {
		for j := first(i); j < width; j++ {
			sums[i] = append(sums[i], t.vector())
		}
	}
	low := func(i, j int) Mem { return t.low.Offset(32 * (i*t.height + j - first(i))) }
	for half := range t.halves {
		for i := range sums {
			for _, v := range sums[i] {
				VXORPD(v, v, v)
			}
		}
		label := fmt.Sprintf("tile%d_%d", t.count, half)
		if diagonal {
			t.diagonalProducts(height, sums, 32*half, label)
		} else {
			t.products(x, height, width, sums, 32*half, label)
		}
		for i := range sums {
			for j := first(i); j < width && t.halves == 2; j++ {
				v := sums[i][j-first(i)]
				if half == 0 {
					VMOVUPD(v, low(i, j))
				} else {
					VADDPD(low(i, j), v, v)
				}
			}
		}
	}
	row := GP64()
	MOVQ(c, row)
	for i, all := range sums {
		at := 8 * first(i)
		for ; len(all) > 4; all = all[4:] {
			t.reduce(all[:4], Mem{Base: row, Disp: at})
			at += 32
		}
		t.reduce(all, Mem{Base: row, Disp: at})
		if i < height-1 {
			ADDQ(t.ldc, row)
		}
	}
}

// products writes the loop over panels of a rectangle. Those of its shorter side are
// kept in registers, the others come one by one.
func (t *tiles) products(x reg.GPVirtual, height, width int, sums [][]reg.VecVirtual, half int, label string) {
	pw, px, count := load("w"), GP64(), load("panels")
	MOVQ(x, px)
	Label(label)
	at := func(p reg.GPVirtual, i int) reg.VecVirtual {
		v := t.vector()
		VMOVUPD(Mem{Base: p, Disp: 64*i + half}, v)
		return v
	}
	kept, keptFrom, others, othersFrom := height, pw, width, px
	if width < height {
		kept, keptFrom, others, othersFrom = width, px, height, pw
	}
	var all []reg.VecVirtual
	for i := range kept {
		all = append(all, at(keptFrom, i))
	}
	for n := range others {
		y := at(othersFrom, n)
		for m, v := range all {
			if width < height {
				VFMADD231PD(y, v, sums[n][m])
			} else {
				VFMADD231PD(y, v, sums[m][n])
			}
		}
	}
	ADDQ(U32(uint32(64*t.height)), pw)
	ADDQ(t.stride, px)
	DECQ(count)
	JNE(LabelRef(label))
}

// diagonalProducts writes the loop over panels of a triangle.
func (t *tiles) diagonalProducts(height int, sums [][]reg.VecVirtual, half int, label string) {
	pw, px, pr, count := load("w"), GP64(), load("r"), load("panels")
	MOVQ(t.x, px)
	Label(label)
	r := t.vector()
	VMOVUPD(Mem{Base: pr, Disp: half}, r)
	var weighted []reg.VecVirtual
	for j := range height {
		x, w := t.vector(), t.vector()
		VMOVUPD(Mem{Base: px, Disp: 64*j + half}, x)
		VMULPD(r, x, w)
		if height == t.height {
			VMOVUPD(w, Mem{Base: pw, Disp: 64*j + half})
		}
		weighted = append(weighted, w)
		for i, w := range weighted {
			VFMADD231PD(x, w, sums[i][j-i])
		}
	}
	ADDQ(U32(uint32(64*t.height)), pw)
	ADDQ(t.stride, px)
	ADDQ(U8(64), pr)
	DECQ(count)
	JNE(LabelRef(label))
}
