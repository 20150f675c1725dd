package vae

// Parameters holds the weights of networks in one vector.
type Parameters struct {
	Values   []float32
	Gradient []float32 // gradient of the last Backward, in the order of Values
	Shapes   []Shape   // the matrices and vectors in Values, in order
}

// Shape is a row-major matrix within [Parameters], or a vector as a matrix of one row.
type Shape struct {
	Name          string // as encoder.0.weight
	Rows, Columns int
}

// Size returns the number of elements.
func (s Shape) Size() int { return s.Rows * s.Columns }

// Matrices calls f with every matrix and its elements.
func (p *Parameters) Matrices(f func(s Shape, values []float32)) {
	at := 0
	for _, s := range p.Shapes {
		f(s, p.Values[at:][:s.Size()])
		at += s.Size()
	}
}

func (p *Parameters) add(s Shape) (at int) {
	at = len(p.Values)
	p.Values = append(p.Values, make([]float32, s.Size())...)
	p.Gradient = append(p.Gradient, make([]float32, s.Size())...)
	p.Shapes = append(p.Shapes, s)
	return at
}

// Join puts the shared parameters of networks, in their order, into one vector, which becomes
// the [Network.Shared] of all of them. It does the same with their conditions and
// [Network.Private]. It panics if one of them has been joined before.
func Join(networks ...*Network) *Parameters {
	all, own := new(Parameters), new(Parameters)
	for _, n := range networks {
		if n.joined {
			panic("vae: network " + n.name + " has been joined before")
		}
		n.joined = true
		n.first, n.firstOwn = all.append(n.Shared), own.append(n.Private)
	}
	for _, n := range networks {
		n.Shared, n.Private = all, own
	}
	return all
}

func (p *Parameters) append(q *Parameters) (at int) {
	at = len(p.Values)
	p.Values = append(p.Values, q.Values...)
	p.Gradient = append(p.Gradient, q.Gradient...)
	p.Shapes = append(p.Shapes, q.Shapes...)
	return at
}
