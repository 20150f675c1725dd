package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Model is the decoded content of a file.
type Model struct {
	IR, Opset       int64
	Producer, Doc   string
	Properties      map[string]string
	Inputs, Outputs []Port
	Constants       map[string]Tensor
	nodes           []node
}

// Port is an input or output. Dims are lengths or names of axes.
type Port struct {
	Name, Doc string
	Type      int64
	Dims      []any
}

type node struct {
	op         string
	in, out    []string
	attributes map[string]int64
	lists      map[string][]int64
}

// fields holds the fields of a message by number.
type fields map[protowire.Number][]field

type field struct {
	number int64
	bytes  []byte
}

func parse(b []byte) (fields, error) {
	f := fields{}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		var v field
		switch typ {
		case protowire.VarintType:
			var u uint64
			u, n = protowire.ConsumeVarint(b)
			v.number = int64(u)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(b)
		default:
			return nil, fmt.Errorf("field %d: type %d", num, typ)
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		f[num] = append(f[num], v)
		b = b[n:]
	}
	return f, nil
}

func (f fields) number(n protowire.Number) (v int64) {
	for _, of := range f[n] {
		v = of.number
	}
	return v
}

func (f fields) text(n protowire.Number) (s string) {
	for _, of := range f[n] {
		s = string(of.bytes)
	}
	return s
}

func (f fields) texts(n protowire.Number) (all []string) {
	for _, of := range f[n] {
		all = append(all, string(of.bytes))
	}
	return all
}

// each parses all messages of a field.
func (f fields) each(n protowire.Number, use func(fields) error) error {
	for _, of := range f[n] {
		part, err := parse(of.bytes)
		if err == nil {
			err = use(part)
		}
		if err != nil {
			return fmt.Errorf("field %d: %w", n, err)
		}
	}
	return nil
}

// Decode reads a ModelProto.
func Decode(b []byte) (*Model, error) {
	f, err := parse(b)
	if err != nil {
		return nil, err
	}
	m := &Model{
		IR: f.number(1), Producer: f.text(2), Doc: f.text(6),
		Properties: map[string]string{}, Constants: map[string]Tensor{},
	}
	for _, step := range []struct {
		field protowire.Number
		use   func(fields) error
	}{
		{8, func(f fields) error { m.Opset = f.number(2); return nil }},
		{14, func(f fields) error { m.Properties[f.text(1)] = f.text(2); return nil }},
		{7, m.graph},
	} {
		if err := f.each(step.field, step.use); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Model) graph(f fields) error {
	for _, step := range []struct {
		field protowire.Number
		use   func(fields) error
	}{
		{1, m.node},
		{5, m.constant},
		{11, func(f fields) error { return port(&m.Inputs, f) }},
		{12, func(f fields) error { return port(&m.Outputs, f) }},
	} {
		if err := f.each(step.field, step.use); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) node(f fields) error {
	n := node{op: f.text(4), in: f.texts(1), out: f.texts(2), attributes: map[string]int64{}, lists: map[string][]int64{}}
	m.nodes = append(m.nodes, n)
	return f.each(5, func(f fields) error {
		const integer, integers = 2, 7
		switch of := f.number(20); of {
		case integer:
			n.attributes[f.text(1)] = f.number(3)
		case integers:
			for _, v := range f[8] {
				n.lists[f.text(1)] = append(n.lists[f.text(1)], v.number)
			}
		default:
			return fmt.Errorf("attribute %s of type %d", f.text(1), of)
		}
		return nil
	})
}

func (m *Model) constant(f fields) error {
	t := Tensor{Type: f.number(2)}
	for _, d := range f[1] {
		t.Dims = append(t.Dims, int(d.number))
	}
	size := 8
	if t.Type == Float {
		size = 4
	}
	raw := []byte(f.text(9))
	for at := 0; at+size <= len(raw); at += size {
		t.Values = append(t.Values, numberOf(t.Type, raw[at:]))
	}
	if len(raw) != size*elements(t.Dims) {
		return fmt.Errorf("constant %s: %d bytes of shape %v", f.text(8), len(raw), t.Dims)
	}
	m.Constants[f.text(8)] = t
	return nil
}

func numberOf(of int64, raw []byte) float64 {
	switch of {
	case Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(raw))
	}
	return float64(int64(binary.LittleEndian.Uint64(raw)))
}

func port(to *[]Port, f fields) error {
	p := Port{Name: f.text(1), Doc: f.text(3)}
	err := f.each(2, func(f fields) error {
		return f.each(1, func(f fields) error {
			p.Type = f.number(1)
			return f.each(2, func(f fields) error {
				return f.each(1, func(f fields) error {
					if name := f.text(2); name != "" {
						p.Dims = append(p.Dims, name)
					} else {
						p.Dims = append(p.Dims, int(f.number(1)))
					}
					return nil
				})
			})
		})
	})
	*to = append(*to, p)
	return err
}
