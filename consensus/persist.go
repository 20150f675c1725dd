package consensus

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// The entries of a slot on disk. The number of the attempt follows EntrySealed.
const (
	EntryState  = "state"
	EntryCall   = "call"
	entryPads   = "pads"
	EntrySealed = "sealed/"
	// The key of a running total follows entryRunning. The entry belongs to the current slot.
	entryRunning = "running/"
)

// Saved is the state of a run on disk: the entries of the current slot and of the one before,
// and the last decision.
type Saved struct {
	Slots map[uint64]map[string][]byte
	Last  *Decision // nil before the first
}

// A slotState is the entry with the whole state of a slot except vectors.
type slotState struct {
	Chain    []byte
	Round    uint32
	Promised uint32
	Vote     *Vote
	Entered  int64
	Own      []*View
	Attempts []attemptState
	Commit   *Certificate
	Pads     []Pad // known pads of the decided attempt
	Barred   bool  // nothing else of the slot was stored
}

type attemptState struct {
	View    *View // nil for ballot 0, whose view follows from the slot before
	Dealt   bool
	Pad     []byte
	Shares  []PadShare
	Commits []Pad // commitments, stored as seeds
}

// flush adds the writes for the changes that an event made. They are on disk before any message
// of the event leaves.
func (m *Machine) flush(e *Effects) {
	var writes []Write
	for _, s := range []*slot{m.last, m.slot} {
		if s == nil || m.volatile(s) {
			continue
		}
		if s.call != nil && !s.callSaved && s.entered >= 0 { // nothing that depends on the call has left before that
			s.callSaved = true
			writes = append(writes, s.call.write(s.number))
		}
		for _, attempt := range s.results.takeUnsaved() {
			name := EntrySealed + fmt.Sprint(attempt)
			if sealed := s.results.sealed[attempt]; sealed != nil {
				writes = append(writes, sealed.write(s.number, name))
			} else {
				writes = append(writes, Write{Slot: s.number, Name: name})
			}
		}
		if s.opener != nil && s.opener.padSum() != nil && !s.padSumKept {
			s.padSumKept = true
			writes = append(writes, Write{s.number, entryPads, encodeHead(struct{}{}), Vector{Words: s.opener.padSum()}})
		}
		if s.ballots.takeDirty() || s.dirty {
			s.dirty = false
			writes = append(writes, Write{Slot: s.number, Name: EntryState, Data: s.encode()})
		}
		if s == m.last {
			s.results.leaveToDisk()
		}
	}
	writes = append(writes, m.flushTotals()...)
	if s := m.slot; m.volatile(s) && !s.marked {
		s.marked = true
		writes = append(writes, Write{Slot: s.number, Name: EntryState, Data: s.mark()})
	}
	e.Writes = append(writes, e.Writes...)
}

// volatile reports whether only the beginning of a slot is stored. Slots of a paused run are
// always stored, because all members may stop in them.
func (m *Machine) volatile(s *slot) bool { return m.p.Volatile && !s.ballots.paused }

// mark returns an entry that only records that the slot began.
func (s *slot) mark() []byte {
	bare := newSlot(s.ballots.roster, s.position, s.modelRound, s.preset)
	bare.abstains = true
	return bare.encode()
}

// SealOf returns the message in which an entry with a sealed result is sent.
func SealOf(slot uint64, entry []byte) (Message, error) {
	sealed, err := decodeSealed(entry)
	if err != nil {
		return Message{}, fmt.Errorf("the record of slot %d is damaged: %w", slot, err)
	}
	return Message{Slot: slot, Ballot: sealed.Attempt, Body: &Seal{Sealed: sealed}}, nil
}

func (s *slot) encode() []byte {
	state := slotState{
		Chain: s.chain[:], Round: s.modelRound, Promised: s.ballots.promised,
		Vote: s.ballots.vote, Entered: s.entered, Commit: s.ballots.commit, Barred: s.abstains,
	}
	for _, b := range slices.Sorted(maps.Keys(s.ballots.made)) {
		state.Own = append(state.Own, s.ballots.made[b])
	}
	for _, b := range slices.Sorted(maps.Keys(s.attempts)) {
		if a := s.attempts[b]; a.secrets.dealt {
			state.Attempts = append(state.Attempts, a.state())
		}
	}
	if s.opener != nil {
		state.Pads = s.opener.known()
	}
	b, err := json.Marshal(state)
	if err != nil {
		panic("consensus: " + err.Error()) // plain data
	}
	return b
}

func (a *attempt) state() attemptState {
	st := attemptState{Dealt: a.secrets.dealt, Pad: a.secrets.pad[:]}
	if a.view.Ballot > 0 {
		st.View = a.view
	}
	for _, s := range slices.Sorted(maps.Keys(a.secrets.held)) {
		st.Shares = append(st.Shares, PadShare{uint32(s), *a.secrets.held[s]})
	}
	for _, s := range slices.Sorted(maps.Keys(a.secrets.commits)) {
		st.Commits = append(st.Commits, Pad{uint32(s), a.secrets.commits[s]})
	}
	return st
}

// Resume returns the machine of a member whose process has restarted. It keeps its promises and
// votes, and takes no further part in attempts of the earlier process, whose sessions are lost.
// entropy is fresh secret randomness.
func Resume(p Params, saved Saved, entropy [32]byte) (*Machine, error) {
	m, err := New(p)
	if err != nil {
		return nil, err
	}
	m.entropy = entropy
	if d := saved.Last; d != nil {
		m.slot, m.certified = m.slotAfter(d), d.Certificate
		if a, err := d.Amendment(); err == nil {
			m.noteRemoved(a, d.Slot)
		}
		if entries := saved.Slots[d.Slot]; entries != nil {
			if m.last, err = m.decodeSlot(d.Slot, m.slot.preset, entries); err != nil {
				return nil, err
			}
			if m.last.ballots.commit == nil {
				m.last = nil
			}
		}
	}
	if entries := saved.Slots[m.slot.number]; entries != nil {
		preset, pos := m.slot.ballots.working() != nil, m.slot.position
		if m.slot, err = m.decodeSlot(pos.number, m.slot.preset, entries); err != nil {
			return nil, err
		}
		if m.slot.position != pos {
			return nil, fmt.Errorf("the record of slot %d is damaged: its chain differs from that of the log", pos.number)
		}
		if !preset {
			m.slot.ballots.forgetPreset()
		}
		if err := m.resumeTotals(entries, saved.Last); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Machine) decodeSlot(number uint64, preset *View, entries map[string][]byte) (*slot, error) {
	damaged := func(what string, err error) error {
		return fmt.Errorf("the record of slot %d is damaged: %s: %w", number, what, err)
	}
	var state slotState
	if err := json.Unmarshal(entries[EntryState], &state); err != nil {
		return nil, damaged(EntryState, err)
	}
	if len(state.Chain) != 32 {
		return nil, damaged(EntryState, fmt.Errorf("want a chain of 32 bytes, got %d", len(state.Chain)))
	}
	s := newSlot(m.roster, position{number, [32]byte(state.Chain)}, state.Round, preset)
	s.entered, s.abstains = state.Entered, state.Barred
	if err := m.roster.checkState(s.preset, &state); err != nil {
		return nil, damaged(EntryState, err)
	}
	for _, st := range state.Attempts {
		if st.View == nil {
			st.View = preset
		}
		a := newAttempt(m.roster, s.position, m.plans, st.View)
		a.secrets.dealt, a.secrets.pad = st.Dealt, [32]byte(st.Pad)
		for _, h := range st.Shares {
			a.secrets.held[int(h.Member)] = &h.Share
		}
		for _, c := range st.Commits {
			a.secrets.commits[int(c.Member)] = c.Seed
		}
		s.attempts[st.View.Ballot] = a
		s.ballots.adopt(st.View)
	}
	var padSum []uint64
	if b := entries[entryPads]; b != nil {
		var err error
		if padSum, err = decodeWords(b, &struct{}{}); err != nil {
			return nil, damaged(entryPads, err)
		}
	}
	if c := state.Commit; c != nil {
		s.opener, s.padSumKept = newOpener(m.roster, s.position, m.plans, c.Value.Attempt, m.now, state.Pads, padSum), padSum != nil
	}
	if b := entries[EntryCall]; b != nil {
		var err error
		if s.call, err = decodeCall(b); err != nil {
			return nil, damaged(EntryCall, err)
		}
		s.callSaved = true
	}
	for name, b := range entries {
		var attempt uint32
		if _, err := fmt.Sscanf(name, EntrySealed+"%d", &attempt); err != nil {
			continue
		}
		sealed, err := decodeSealed(b)
		if err == nil {
			check := &validator{ranks: len(m.p.Members)}
			check.sealed(sealed)
			err = check.err
		}
		if err != nil {
			return nil, damaged(name, err)
		}
		s.results.restore(attempt, sealed)
	}
	s.ballots.restore(state.Promised, state.Vote, state.Own, state.Commit)
	return s, nil
}

// checkState returns an error for a state that no process writes, from which a process could
// contradict its own messages. Attempts without a view get the preset one.
func (r *roster) checkState(preset *View, st *slotState) error {
	check := &validator{ranks: len(r.names)}
	views := append([]*View{preset}, st.Own...)
	for i := range st.Attempts {
		a := &st.Attempts[i]
		if a.View == nil {
			a.View = preset
		}
		if len(a.Pad) != 32 || a.View.Finish != nil {
			return fmt.Errorf("want a pad of 32 bytes and a new view of each attempt, got %d bytes", len(a.Pad))
		}
		views = append(views, a.View)
		for _, s := range a.Shares {
			check.rank("share", s.Member)
		}
		for _, c := range a.Commits {
			check.rank("commitment", c.Member)
		}
	}
	for _, p := range st.Pads {
		check.rank("pad", p.Member)
	}
	for _, v := range views {
		if v == nil || v.startsAnew() && len(v.Members) < 2 {
			return errors.New("want views of at least 2 members")
		}
		check.inOrder("view", v.Members)
	}
	return check.err
}
