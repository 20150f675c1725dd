package parallel

import "sync"

// Memo holds values by keys. Each is worked out by whoever asks for it first, while
// others that ask for it wait, and the last few that were asked for first are kept. The
// zero value holds none. Safe for concurrent use.
type Memo[V any] struct {
	mu   sync.Mutex
	by   map[[32]byte]*memoized[V]
	last [][32]byte
}

type memoized[V any] struct {
	once  sync.Once
	value V
}

// Of returns the value of a key, which is not to be modified. The key covers all that
// solve makes it of. No more than keep values are kept.
func (m *Memo[V]) Of(key [32]byte, keep int, solve func() V) V {
	x := m.at(key, keep)
	x.once.Do(func() { x.value = solve() })
	return x.value
}

func (m *Memo[V]) at(key [32]byte, keep int) *memoized[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.by[key]; x != nil {
		return x
	}
	if m.by == nil {
		m.by = map[[32]byte]*memoized[V]{}
	}
	if len(m.last) == keep {
		delete(m.by, m.last[0])
		m.last = m.last[1:]
	}
	x := &memoized[V]{}
	m.by[key], m.last = x, append(m.last, key)
	return x
}
