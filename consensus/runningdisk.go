package consensus

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A runningState is the head of a running total's entry. This member's counted vector follows
// it, and the total unless the decision before the slot has it.
type runningState struct {
	From    string `json:",omitempty"`
	Size    uint32
	Last    uint64
	Early   uint64
	Newest  uint64
	Began   bool
	Counted []countedState
	Length  int  // number of values of the total
	Total   bool // the entry contains the total
	Own     bool
	Largest []float64 `json:",omitempty"` // counts of this member's components since a member is missing
}

// A countedState is a member, and as many more after it, that the slot has counted last.
type countedState struct {
	Member uint32
	Slot   uint64
	More   uint32 `json:",omitempty"`
}

// flushTotals returns the writes of running totals. In a volatile slot it includes the call:
// otherwise a member would not know which of its vectors was counted.
func (m *Machine) flushTotals() (writes []Write) {
	s := m.slot
	if s.carries {
		s.carries = false
		for _, key := range slices.Sorted(maps.Keys(m.totals)) {
			writes = append(writes, m.totals[key].write(s.number, key))
		}
	}
	if c := s.call; m.p.Volatile && c != nil && c.header.Running.Key != "" && !s.callSaved && s.entered >= 0 {
		s.callSaved = true
		writes = append(writes, c.write(s.number))
	}
	return writes
}

func (r *runningTotal) write(slot uint64, key string) Write {
	state := runningState{From: r.from, Size: r.size, Last: r.last, Early: r.early, Newest: r.counted.newest, Began: r.began, Length: len(r.total), Own: r.vector != nil, Largest: r.largest}
	for _, s := range r.counted.spans {
		state.Counted = append(state.Counted, countedState{s.first, s.slot, s.last - s.first})
	}
	values := r.vector // which nobody modifies
	if state.Total = !r.began || r.last+1 != slot; state.Total {
		values = slices.Concat(r.total, r.vector)
	}
	return Write{slot, entryRunning + key, encodeHead(state), Vector{Values: values}}
}

func (m *Machine) resumeTotals(entries map[string][]byte, last *Decision) error {
	for name, b := range entries {
		key, is := strings.CutPrefix(name, entryRunning)
		if !is {
			continue
		}
		r, err := decodeRunning(b, key, last)
		if err != nil {
			return fmt.Errorf("the record of slot %d is damaged: %s: %w", m.slot.number, name, err)
		}
		m.totals[key] = r
	}
	return nil
}

func decodeRunning(b []byte, key string, last *Decision) (*runningTotal, error) {
	var state runningState
	words, err := decodeWords(b, &state)
	if err != nil {
		return nil, err
	}
	want := 0
	if state.Total {
		want += state.Length
	}
	if state.Own {
		want += state.Length
	}
	if state.Length < 0 || state.Length > maxValues || len(words) != want {
		return nil, fmt.Errorf("want %d values, got %d", want, len(words))
	}
	counted, err := tallyOf(state.Counted, state.Newest)
	if err != nil {
		return nil, err
	}
	r := &runningTotal{from: state.From, size: state.Size, last: state.Last, early: state.Early, began: state.Began, counted: counted, largest: state.Largest}
	values := make([]float64, len(words))
	for i, w := range words {
		values[i] = math.Float64frombits(w)
	}
	switch {
	case state.Total:
		r.total, values = values[:state.Length:state.Length], values[state.Length:]
	case last == nil || last.Running == nil || last.Running.Key != key || len(last.Total) != state.Length:
		return nil, fmt.Errorf("the total is missing from the decision before")
	default:
		r.total = slices.Clone(last.Total)
	}
	if state.Own {
		r.vector = values
	}
	return r, nil
}

// tallyOf returns the tally of a record.
func tallyOf(record []countedState, newest uint64) (*tally, error) {
	t := &tally{newest: newest}
	next := uint64(0) // least number that the next member may have
	for _, c := range record {
		if uint64(c.Member) < next || uint64(c.Member)+uint64(c.More) >= maxRoster {
			return nil, fmt.Errorf("want counted members in order, each below %d, got %d and %d more", maxRoster, c.Member, c.More)
		}
		next = uint64(c.Member) + uint64(c.More) + 1
		for i := range c.More + 1 {
			t.add(c.Member+i, c.Slot)
		}
	}
	return t, nil
}
