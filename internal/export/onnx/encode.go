package onnx

import "google.golang.org/protobuf/encoding/protowire"

// Versions named in files, for runtimes from 2021 on.
const (
	irVersion = 7
	opset     = 13
)

// A Model is a graph with the metadata of its file.
type Model struct {
	Graph      *Graph
	Producer   string // program that made the file
	Doc        string // for people
	Properties []Property
}

// A Property is an entry of the metadata, for programs.
type Property struct{ Key, Value string }

// Encode returns the bytes of the file. The numbers are those of the fields in onnx.proto.
func (m Model) Encode() []byte {
	var b message
	b.number(1, irVersion)
	b.text(2, m.Producer)
	b.text(6, m.Doc)
	b.part(7, m.Graph.encode())
	var set message
	set.number(2, opset)
	b.part(8, set) // of the default domain
	for _, p := range m.Properties {
		var entry message
		entry.text(1, p.Key)
		entry.text(2, p.Value)
		b.part(14, entry)
	}
	return b
}

func (g *Graph) encode() (b message) {
	for _, n := range g.nodes {
		b.part(1, n.encode())
	}
	b.text(2, g.name)
	for _, c := range g.constants {
		b.part(5, c.encode())
	}
	for _, p := range g.inputs {
		b.part(11, p.encode())
	}
	for _, p := range g.outputs {
		b.part(12, p.encode())
	}
	return b
}

func (n node) encode() (b message) {
	for _, v := range n.in {
		b.text(1, string(v))
	}
	for _, name := range n.out {
		b.text(2, name)
	}
	b.text(3, n.out[0])
	b.text(4, n.op.name)
	for _, of := range n.op.attributes {
		var a message
		a.text(1, of.name)
		if of.list {
			for _, v := range of.values {
				a.number(8, v)
			}
			a.number(20, 7) // INTS
		} else {
			a.number(3, of.values[0])
			a.number(20, 2) // INT
		}
		b.part(5, a)
	}
	return b
}

func (c constant) encode() (b message) {
	for _, d := range c.dims {
		b.number(1, int64(d))
	}
	b.number(2, int64(c.of))
	b.text(8, c.name)
	b.part(9, c.raw)
	return b
}

func (p port) encode() (b message) {
	var shape message
	for _, d := range p.dims {
		var dim message
		if d.Name != "" {
			dim.text(2, d.Name)
		} else {
			dim.number(1, int64(d.Length))
		}
		shape.part(1, dim)
	}
	var tensor, of message
	tensor.number(1, int64(p.of))
	tensor.part(2, shape)
	of.part(1, tensor)
	b.text(1, p.name)
	b.part(2, of)
	b.text(3, p.doc)
	return b
}

// message is an encoded message of protocol buffers.
type message []byte

func (b *message) number(field protowire.Number, v int64) {
	*b = protowire.AppendTag(*b, field, protowire.VarintType)
	*b = protowire.AppendVarint(*b, uint64(v))
}

func (b *message) text(field protowire.Number, s string) { b.part(field, []byte(s)) }

func (b *message) part(field protowire.Number, content []byte) {
	*b = protowire.AppendTag(*b, field, protowire.BytesType)
	*b = protowire.AppendBytes(*b, content)
}
