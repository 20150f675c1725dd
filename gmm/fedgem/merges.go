package fedgem

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
)

// Merges are the super-clusters that members of one process have worked out. Members
// that share them and have gathered the same, as in a simulation, take each other's in
// place of computing the same again. Safe for concurrent use.
type Merges struct {
	mu   sync.Mutex
	by   map[[32]byte]*merged
	last [][32]byte
}

// keptMerges bounds how many are kept: those of a few rounds.
const keptMerges = 64

type merged struct {
	once  sync.Once
	of    []int
	count int
}

// superClusters returns those of all regions, which are not to be modified.
func (l *local) superClusters(all gathered) (of []int, count int) {
	solve := func() ([]int, int) { return joined(all.links(), all.regions, all.owner, l.config.Chain) }
	if l.config.Shared == nil {
		return solve()
	}
	m := l.config.Shared.at(all.key(l.config.Chain))
	m.once.Do(func() { m.of, m.count = solve() })
	return m.of, m.count
}

func (s *Merges) at(key [32]byte) *merged {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.by[key]
	if m == nil {
		if s.by == nil {
			s.by = map[[32]byte]*merged{}
		}
		if len(s.last) == keptMerges {
			delete(s.by, s.last[0])
			s.last = s.last[1:]
		}
		m = &merged{}
		s.by[key], s.last = m, append(s.last, key)
	}
	return m
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
