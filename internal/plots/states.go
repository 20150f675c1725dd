package plots

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
)

// state is the state of a member at some time.
type state int

const (
	in   state = iota // in the current sum, or in the next one
	out               // running, and not in the sum
	down              // without a process
	states
)

// stretch is a time in which a member's state does not change.
type stretch struct {
	state    state
	from, to time.Duration
}

// decided returns the time at which the last call of a run was decided.
func decided(c *report.Course) time.Duration {
	if len(c.Slots) == 0 {
		return 0
	}
	return c.Slots[len(c.Slots)-1].At
}

// end returns the end of the drawing: the last decision. For a failed run it adds some of the
// time after it, which shows the reason. All of that time, often half an hour, would leave no
// room for the rest.
func end(c *report.Course) time.Duration {
	last := decided(c)
	switch {
	case last == 0:
		return c.Virtual
	case c.Failed:
		return min(c.Virtual, last+last/4)
	}
	return last
}

// stretches returns the states of all members in time order.
func stretches(c *report.Course) [][]stretch {
	all := make([][]stretch, len(c.Names))
	began := time.Duration(0)
	for _, s := range c.Slots {
		for rank := range all {
			is := out
			if _, member := slices.BinarySearch(s.Members, uint32(rank)); member {
				is = in
			}
			all[rank] = add(all[rank], stretch{is, began, s.At})
		}
		began = s.At
	}
	for rank := range all {
		all[rank] = add(all[rank], stretch{out, began, end(c)})
		for _, d := range c.Down[rank] {
			all[rank] = cut(all[rank], d)
		}
	}
	return all
}

// add appends a stretch, or extends the last one.
func add(list []stretch, s stretch) []stretch {
	if n := len(list); n > 0 && list[n-1].state == s.state {
		list[n-1].to = s.to
		return list
	}
	if s.from < s.to {
		list = append(list, s)
	}
	return list
}

// cut inserts a time without a process into a member's stretches.
func cut(list []stretch, gone report.Span) []stretch {
	var kept []stretch
	for _, s := range list {
		from, to := min(max(gone.From, s.from), s.to), max(min(gone.To, s.to), s.from)
		if from >= to {
			kept = add(kept, s)
			continue
		}
		for _, part := range []stretch{{s.state, s.from, from}, {down, from, to}, {s.state, to, s.to}} {
			if part.from < part.to {
				kept = add(kept, part)
			}
		}
	}
	return kept
}

// counts returns the mean number of members in each state, for each of some equal parts of the
// run.
func counts(all [][]stretch, end time.Duration, parts int) [states][]float64 {
	var n [states][]float64
	for i := range n {
		n[i] = make([]float64, parts)
	}
	width := float64(end) / float64(parts)
	for _, list := range all {
		for _, s := range list {
			for i := int(float64(s.from) / width); i < parts && float64(i)*width < float64(s.to); i++ {
				from, to := max(float64(s.from), float64(i)*width), min(float64(s.to), float64(i+1)*width)
				n[s.state][i] += max(0, to-from) / width
			}
		}
	}
	return n
}
