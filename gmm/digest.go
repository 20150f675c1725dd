package gmm

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Digest returns the SHA-256 of the means and the precisions, and, if weights is set, of the
// weights. Leave the weights out if each member has its own. Mixtures with the same digest have
// the same bits.
func (m *Mixture) Digest(weights bool) [32]byte {
	h := sha256.New()
	buf := binary.LittleEndian.AppendUint64(make([]byte, 0, 4096), uint64(m.form))
	write := func(values []float64) {
		for _, v := range values {
			if buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v)); len(buf) == cap(buf) {
				h.Write(buf)
				buf = buf[:0]
			}
		}
	}
	if weights {
		write(m.weights)
	}
	for k, p := range m.parts {
		write(m.means.RawRowView(k))
		if m.form != Full {
			write(p.Diagonal)
			continue
		}
		raw := m.precisions[k].RawSymmetric()
		for i := range raw.N {
			write(raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N])
		}
	}
	h.Write(buf)
	return [32]byte(h.Sum(nil))
}
