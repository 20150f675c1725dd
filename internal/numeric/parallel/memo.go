package parallel

import "sync"

// Memo caches values by key. The first caller of a key computes its value, and concurrent callers
// wait for it. When it is full, it drops the key that was added first. The zero value is empty. A
// Memo is safe for concurrent use.
type Memo[V any] struct {
	mu   sync.Mutex
	by   map[[32]byte]*memoized[V]
	last [][32]byte
}

type memoized[V any] struct {
	once  sync.Once
	value V
}

// Of returns the value of a key, which the caller must not modify. The key covers all inputs of
// solve. At most keep values are kept.
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
