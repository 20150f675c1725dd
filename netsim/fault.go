package netsim

import (
	"cmp"
	"fmt"
	"time"
)

// A Fault is a failure or another condition of the network: one of [Crash], [Stop], [Churn],
// [Late], [Slow], [Clock], [Partition], [Flap], [NAT], [Loss], [Duplicate], [Reorder],
// [Bandwidth] and [Pause]. Members are given by rank.
type Fault interface {
	check(size int) error
	plan(n *network)
}

// When is the start and the duration of a fault, in virtual time.
type When struct {
	// Round, if not 0, is a model round: At counts from the moment when the first member
	// reaches it. Otherwise At counts from the start of the run.
	Round uint32
	At    time.Duration
	For   time.Duration // 0 means to the end of the run
}

func (w When) check() error {
	return cmp.Or(checkTime("at", w.At), checkTime("for", w.For))
}

// plan schedules the start of a fault, and its end if it has one.
func (w When) plan(n *network, begin, end deed) {
	fault := n.planned
	from := func(zero time.Duration) {
		if end != nil {
			n.noteFault(fault, zero+w.At, w.end(zero))
		}
		n.push(event{at: zero + w.At, to: nobody, what: begin})
		if w.For > 0 && end != nil {
			n.push(event{at: w.end(zero), to: nobody, what: end})
		}
	}
	if w.Round == 0 {
		from(0)
		return
	}
	n.atRound(w.Round, from)
}

// end returns the end of a fault that counts from the given time.
func (w When) end(zero time.Duration) time.Duration {
	if w.For == 0 {
		return open
	}
	return zero + w.At + w.For
}

// always reports whether a fault lasts from the start of the run to its end.
func (w When) always() bool { return w == When{} }

// atRound calls a function when the first member reaches a round.
func (n *network) atRound(round uint32, do deed) {
	if round <= n.round {
		do(n.now)
		return
	}
	n.rounds[round] = append(n.rounds[round], do)
}

// comeTo records that a member reaches a round.
func (n *network) comeTo(round uint32, at time.Duration) {
	for n.round < round {
		n.round++
		for _, do := range n.rounds[n.round] {
			do(max(at, n.now))
		}
		delete(n.rounds, n.round)
	}
}

func checkMember(member, size int) error {
	if member < 0 || member >= size {
		return fmt.Errorf("node: want a member from 1 to %d, got %d", size, member+1)
	}
	return nil
}

func checkMembers(members []int, size int) error {
	for _, m := range members {
		if err := checkMember(m, size); err != nil {
			return err
		}
	}
	return nil
}

func checkRate(rate float64) error {
	if !(rate >= 0 && rate <= 1) {
		return fmt.Errorf("rate: want a probability from 0 to 1, got %g", rate)
	}
	return nil
}

// in returns, for each member, whether it is in the list. An empty list means all members.
func in(members []int, size int) []bool {
	is := make([]bool, size)
	for i := range is {
		is[i] = len(members) == 0
	}
	for _, m := range members {
		is[m] = true
	}
	return is
}

func checkTime(what string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s: want a time of at least 0, got %s", what, d)
	}
	return nil
}
