package parallel

import "sync"

// Memo caches values by key. The first caller of a key computes its value, and concurrent callers
// wait for it. When it is full, it drops the key that was added first. The zero value is empty. A
// Memo is safe for concurrent use.
type Memo[K comparable, V any] struct {
	mu   sync.Mutex
	by   map[K]*memoized[V]
	last []K
}

type memoized[V any] struct {
	once  sync.Once
	value V
}

// Of returns the value of a key, which the caller must not modify. The key covers all inputs of
// solve. At most keep values are kept.
func (m *Memo[K, V]) Of(key K, keep int, solve func() V) V {
	x := m.at(key, keep)
	x.once.Do(func() { x.value = solve() })
	return x.value
}

// Clear drops all values.
func (m *Memo[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.by, m.last = nil, nil
}

func (m *Memo[K, V]) at(key K, keep int) *memoized[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.by[key]; x != nil {
		return x
	}
	if m.by == nil {
		m.by = map[K]*memoized[V]{}
	}
	if len(m.last) == keep {
		delete(m.by, m.last[0])
		m.last = m.last[1:]
	}
	x := &memoized[V]{}
	m.by[key], m.last = x, append(m.last, key)
	return x
}
