package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strip is the number of rows of the triangular factor whose products are in registers at a
// time. It determines the order of a packed factor.
const strip = 6

// density writes the kernel [kernels.density].
func (s *isa) density() {
	s.text("density", "func(panels, vars int, x *float64, stride int, mean, factor *float64, norm float64, d, out *float64)",
		fmt.Sprintf("kernels.density for a multiple of %d panels", s.panels))
	x, out, panels, stride := load("x"), load("out"), load("panels"), bytes("stride")
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	row := s.units * s.size // bytes per variable of the group
	Label("group")

	xi, mean, d, left := GP64(), load("mean"), load("d"), load("vars")
	MOVQ(x, xi)
	Label("centre")
	mu := s.broadcast(Mem{Base: mean})
	for u := range s.units {
		v := s.vector()
		VMOVUPD(s.unit(xi, stride, stride3, u), v)
		VSUBPD(mu, v, v)
		VMOVUPD(v, Mem{Base: d, Disp: s.size * u})
	}
	ADDQ(U8(64), xi)
	ADDQ(U8(8), mean)
	ADDQ(U32(uint32(row)), d)
	DECQ(left)
	JNE(LabelRef("centre"))
	q := s.zero()
	for u := range s.units {
		VMOVUPD(q, Mem{Base: out, Disp: s.size * u})
	}

	di, f, rest := load("d"), load("factor"), load("vars")
	t := &triangle{isa: s, row: row, d: di, f: f, out: out}
	Label("strip")
	CMPQ(rest, U8(strip))
	JL(LabelRef("rest"))
	y := t.corner(strip)
	e, count := GP64(), GP64()
	LEAQ(Mem{Base: di, Disp: strip * row}, e)
	MOVQ(rest, count)
	SUBQ(U8(strip), count)
	JE(LabelRef("squares"))
	Label("columns")
	t.column(e, y)
	ADDQ(U32(uint32(row)), e)
	ADDQ(U8(8*strip), f)
	DECQ(count)
	JNE(LabelRef("columns"))
	Label("squares")
	t.squares(y)
	ADDQ(U32(uint32(strip*row)), di)
	SUBQ(U8(strip), rest)
	JMP(LabelRef("strip"))
	Label("rest")
	for h := 1; h < strip; h++ {
		CMPQ(rest, U8(uint8(h)))
		JE(LabelRef(fmt.Sprintf("rest%d", h)))
	}
	JMP(LabelRef("finish"))
	for h := 1; h < strip; h++ {
		Label(fmt.Sprintf("rest%d", h))
		t.squares(t.corner(h))
		if h < strip-1 {
			JMP(LabelRef("finish"))
		}
	}
	Label("finish")
	s.finish(out)
	s.nextGroup(x, stride, out)
	SUBQ(U8(uint8(s.panels)), panels)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// finish turns squares into log densities.
func (s *isa) finish(out reg.GPVirtual) {
	norm, half := s.broadcast(address("norm")), s.vector()
	VMOVUPD(s.constant("minus half"), half)
	for u := range s.units {
		v := s.vector()
		at := Mem{Base: out, Disp: s.size * u}
		VMOVUPD(at, v)
		VFMADD213PD(norm, half, v)
		VMOVUPD(v, at)
	}
}

func (s *isa) nextGroup(x, stride, out reg.GPVirtual) {
	if s.panels == 4 {
		LEAQ(Mem{Base: x, Index: stride, Scale: 4}, x)
	} else {
		ADDQ(stride, x)
	}
	ADDQ(U32(uint32(s.units*s.size)), out)
}

// triangle is the code for one strip of the triangular product.
type triangle struct {
	*isa
	row       int // bytes per variable of d
	d, f, out reg.GPVirtual
}

// corner writes the products with the strip's own variables, and returns the sums. Each sum is
// a chain that begins at the diagonal.
func (t *triangle) corner(height int) [][]reg.VecVirtual {
	y := make([][]reg.VecVirtual, height)
	at := 0
	for j := range height {
		for u := range t.units {
			v := t.vector()
			y[j] = append(y[j], v)
			VMOVUPD(Mem{Base: t.d, Disp: j*t.row + t.size*u}, v)
		}
		for i := range j {
			factor := t.broadcast(Mem{Base: t.f, Disp: at})
			for u, v := range y[j] {
				VFMADD231PD(v, factor, y[i][u])
			}
			at += 8
		}
		factor := t.broadcast(Mem{Base: t.f, Disp: at})
		for _, v := range y[j] {
			VMULPD(factor, v, v)
		}
		at += 8
	}
	ADDQ(U8(uint8(at)), t.f)
	return y
}

// column writes the products with the variable at e.
func (t *triangle) column(e reg.GPVirtual, y [][]reg.VecVirtual) {
	var d []reg.VecVirtual
	for u := range t.units {
		v := t.vector()
		VMOVUPD(Mem{Base: e, Disp: t.size * u}, v)
		d = append(d, v)
	}
	for i := range y {
		factor := t.broadcast(Mem{Base: t.f, Disp: 8 * i})
		for u, v := range d {
			VFMADD231PD(v, factor, y[i][u])
		}
	}
}

// squares adds the squares of the strip to out.
func (t *triangle) squares(y [][]reg.VecVirtual) {
	var q []reg.VecVirtual
	for u := range t.units {
		v := t.vector()
		VMOVUPD(Mem{Base: t.out, Disp: t.size * u}, v)
		q = append(q, v)
	}
	for i := range y {
		for u, v := range q {
			VFMADD231PD(y[i][u], y[i][u], v)
		}
	}
	for u, v := range q {
		VMOVUPD(v, Mem{Base: t.out, Disp: t.size * u})
	}
}

// diagonal writes the kernel [kernels.diagonal].
func (s *isa) diagonal() {
	s.text("diagonal", "func(panels, vars int, x *float64, stride int, mean, precision *float64, norm float64, out *float64)",
		fmt.Sprintf("kernels.diagonal for a multiple of %d panels", s.panels))
	x, out, panels, stride := load("x"), load("out"), load("panels"), bytes("stride")
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("group")
	xi, mean, precision, left := GP64(), load("mean"), load("precision"), load("vars")
	MOVQ(x, xi)
	var q []reg.VecVirtual
	for range s.units {
		q = append(q, s.zero())
	}
	Label("variable")
	mu, a := s.broadcast(Mem{Base: mean}), s.broadcast(Mem{Base: precision})
	for u := range s.units {
		d, w := s.vector(), s.vector()
		VMOVUPD(s.unit(xi, stride, stride3, u), d)
		VSUBPD(mu, d, d)
		VMULPD(a, d, w)
		VFMADD231PD(w, d, q[u])
	}
	ADDQ(U8(64), xi)
	ADDQ(U8(8), mean)
	ADDQ(U8(8), precision)
	DECQ(left)
	JNE(LabelRef("variable"))
	for u, v := range q {
		VMOVUPD(v, Mem{Base: out, Disp: s.size * u})
	}
	s.finish(out)
	s.nextGroup(x, stride, out)
	SUBQ(U8(uint8(s.panels)), panels)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}
