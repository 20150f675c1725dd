package fedgem

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/collabdict/collabdict/internal/parallel"
)

// Merges are the super-clusters that members of one process have worked out. Members
// that share them and have gathered the same, as in a simulation, take each other's in
// place of computing the same again. Safe for concurrent use.
type Merges struct{ memo parallel.Memo[merged] }

// keptMerges bounds how many are kept: those of a few rounds.
const keptMerges = 64

type merged struct {
	of    []int
	count int
}

// superClusters returns those of all regions, which are not to be modified.
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

// key covers all that super-clusters follow from.
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
