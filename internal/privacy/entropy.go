package privacy

import (
	"encoding/binary"
	"math"
)

// Entropy accumulates, in one pass, the entropy of the distribution with the weights e^l / Σ
// e^l over all added values l. The zero value is empty.
type Entropy struct {
	shift  float64 // largest l so far
	sum    float64 // Σ e^(l−shift)
	moment float64 // Σ e^(l−shift)·(l−shift)
}

// EntropyOf returns the Entropy of values l, given the sums of their weights w = e^(l−shift)
// and of w·(l−shift).
func EntropyOf(shift, sum, moment float64) Entropy { return Entropy{shift, sum, moment} }

// Add adds values of l; −Inf is a weight of 0.
func (e *Entropy) Add(l []float64) {
	top := math.Inf(-1)
	for _, v := range l {
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return
	}
	block := Entropy{shift: top}
	for _, v := range l {
		if w := math.Exp(v - top); w > 0 {
			block.sum += w
			block.moment += float64(w * (v - top))
		}
	}
	e.Merge(block)
}

// Merge adds all values of o.
func (e *Entropy) Merge(o Entropy) {
	switch {
	case o.sum == 0:
	case e.sum == 0:
		*e = o
	case e.shift < o.shift:
		mine := *e
		*e = o
		e.Merge(mine)
	default:
		by := o.shift - e.shift
		w := math.Exp(by)
		e.sum += float64(w * o.sum)
		if w > 0 {
			e.moment += float64(w * (o.moment + float64(by*o.sum)))
		}
	}
}

// Total returns Σ e^l.
func (e Entropy) Total() float64 { return e.sum * math.Exp(e.shift) }

// Nats returns the entropy in nats, 0 if no value was added.
func (e Entropy) Nats() float64 {
	if e.sum == 0 {
		return 0
	}
	return math.Max(0, math.Log(e.sum)-e.moment/e.sum)
}

// GobEncode implements gob.GobEncoder, for entropies that come from other machines.
func (e Entropy) GobEncode() ([]byte, error) {
	return binary.Append(nil, binary.BigEndian, []float64{e.shift, e.sum, e.moment})
}

// GobDecode implements gob.GobDecoder.
func (e *Entropy) GobDecode(text []byte) error {
	var of [3]float64
	_, err := binary.Decode(text, binary.BigEndian, &of)
	*e = Entropy{of[0], of[1], of[2]}
	return err
}
