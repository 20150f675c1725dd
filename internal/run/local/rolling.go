package local

import (
	"container/heap"
	"math"
	"slices"
)

// A Threshold reports anomalies in a sequence of scores.
type Threshold struct {
	limit  float64 // used until the window is large enough; NaN for none
	window *window // nil if the limit applies to all rows
}

// Fixed returns a threshold that is the same for all rows, NaN for none.
func Fixed(limit float64) *Threshold { return &Threshold{limit: limit} }

// Rolling returns a threshold that, for each row, is [Limit] of the size scores before it. size
// must be at least [Fewest]. Until there are [Fewest] scores, the threshold is first, NaN for
// none.
func Rolling(size int, share, first float64) *Threshold {
	if size < Fewest(share) {
		panic("local: want more scores in a window")
	}
	return &Threshold{limit: first, window: newWindow(size, share)}
}

// Rolls reports whether rows have thresholds of their own.
func (t *Threshold) Rolls() bool { return t.window != nil }

// Limit returns the next row's threshold, NaN for none.
func (t *Threshold) Limit() float64 {
	if t.window != nil {
		if v, ok := t.window.limit(); ok {
			return v
		}
	}
	return t.limit
}

// Above reports whether the next row's score is above its threshold. known is false if there is
// no threshold.
func (t *Threshold) Above(score float64) (above, known bool) {
	limit := t.Limit()
	if t.window != nil {
		t.window.add(score)
	}
	known = !math.IsNaN(limit)
	return known && !(score <= limit), known
}

// Recent returns the scores that the next row's threshold follows from, the oldest first. A fixed
// threshold has none.
func (t *Threshold) Recent() []float64 {
	if t.window == nil {
		return nil
	}
	w := t.window
	if w.filled < len(w.scores) {
		return slices.Clone(w.scores[:w.filled])
	}
	return slices.Concat(w.scores[w.next:], w.scores[:w.next])
}

// window holds the last scores in two heaps. The limit is the largest of the low heap, whose
// size is the rank of the limit. A row costs O(log size).
type window struct {
	share  float64
	scores []float64 // a ring
	next   int       // place in it
	filled int
	low    half // the largest first
	high   half // the smallest first
}

func newWindow(size int, share float64) *window {
	w := &window{share: share, scores: make([]float64, size)}
	at := make([]int, size)
	w.low, w.high = half{of: w, at: at, down: true}, half{of: w, at: at}
	return w
}

func (w *window) limit() (limit float64, ok bool) {
	if w.filled < Fewest(w.share) {
		return 0, false
	}
	return w.scores[w.low.places[0]], true
}

// add replaces the oldest score. NaN counts as largest.
func (w *window) add(score float64) {
	if math.IsNaN(score) {
		score = math.Inf(1)
	}
	place := w.next
	if w.next++; w.next == len(w.scores) {
		w.next = 0
	}
	if w.filled == len(w.scores) {
		for _, h := range []*half{&w.low, &w.high} {
			if i := h.at[place]; i < len(h.places) && h.places[i] == place {
				heap.Remove(h, i)
				break
			}
		}
	} else {
		w.filled++
	}
	w.scores[place] = score
	if len(w.low.places) > 0 && score <= w.scores[w.low.places[0]] {
		heap.Push(&w.low, place)
	} else {
		heap.Push(&w.high, place)
	}
	rank := min(rankOf(w.filled, w.share), w.filled)
	for len(w.low.places) < rank {
		heap.Push(&w.low, heap.Pop(&w.high))
	}
	for len(w.low.places) > rank {
		heap.Push(&w.high, heap.Pop(&w.low))
	}
}

// half is a heap of indices into the ring.
type half struct {
	of     *window
	places []int
	at     []int // position of each index in its heap
	down   bool  // the largest first
}

func (h *half) Len() int { return len(h.places) }

func (h *half) Less(i, j int) bool {
	a, b := h.of.scores[h.places[i]], h.of.scores[h.places[j]]
	if h.down {
		return a > b
	}
	return a < b
}

func (h *half) Swap(i, j int) {
	h.places[i], h.places[j] = h.places[j], h.places[i]
	h.at[h.places[i]], h.at[h.places[j]] = i, j
}

func (h *half) Push(place any) {
	h.at[place.(int)] = len(h.places)
	h.places = append(h.places, place.(int))
}

func (h *half) Pop() any {
	n := len(h.places) - 1
	place := h.places[n]
	h.places = h.places[:n]
	return place
}
