package fedgem

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Merges caches super-clusters for members in one process. Members that share it and gathered
// the same regions, as in a simulation, reuse each other's results. It is safe for concurrent
// use.
type Merges struct {
	memo parallel.Memo[[32]byte, merged]
}

// keptMerges is the maximum number of cached merges, enough for a few rounds.
const keptMerges = 64

type merged struct {
	of    []int
	count int
}

// superClusters returns the super-clusters of all regions. The caller must not modify them.
func (l *local) superClusters(all gathered) (of []int, count int) {
	solve := func() (m merged) {
		m.of, m.count = joined(all.links(), all.regions, all.owner, l.config.Chain)
		return m
	}
	if l.config.Shared == nil {
		m := solve()
		return m.of, m.count
	}
	m := l.config.Shared.memo.Of(all.key(l.config.Chain), keptMerges, solve)
	return m.of, m.count
}

// key returns a hash of everything from which super-clusters follow.
func (a gathered) key(chain bool) (key [32]byte) {
	h := sha256.New()
	var b []byte
	for i, r := range a.regions {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(a.owner[i]))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(r.shape)))
		for _, values := range [][]float64{{r.rows, r.radius}, r.centre, r.shape} {
			for _, v := range values {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		h.Write(b)
	}
	if chain {
		h.Write([]byte{1})
	}
	h.Sum(key[:0])
	return key
}
