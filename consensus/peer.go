package consensus

import (
	"math"
	"slices"
	"time"
)

// A peer holds what this member knows about another one.
type peer struct {
	heard  time.Duration // time of its last message
	rhythm rhythm        // gaps between its heartbeats
	slot   uint64        // slot in its last heartbeat
	said   *Heartbeat    // its last heartbeat; nil before the first
	left   *Leave
	gone   time.Duration
	helped *[2]help      // help that was sent unasked, and on request; nil for none
	pace   pace          // durations of its local updates
	lacked time.Duration // how long the current slot has lacked it
	asked  uint32        // next rounds whose start does not wait for it
	misses uint32        // successive rounds that waited for it without success
}

// silence is the heartbeat of a member before its first.
var silence Heartbeat

// heartbeat returns the member's last heartbeat, which is not modified.
func (p *peer) heartbeat() *Heartbeat {
	if p.said == nil {
		return &silence
	}
	return p.said
}

// help returns the record of help that was sent on request, or unasked.
func (p *peer) help(asked bool) *help {
	if p.helped == nil {
		p.helped = new([2]help)
	}
	if asked {
		return &p.helped[1]
	}
	return &p.helped[0]
}

// ready reports whether the member's learner has come to a slot.
func (p *peer) ready(slot uint64) bool { return p.slot == slot && !p.heartbeat().Behind }

// A help records what was last sent again to a member.
type help struct {
	slot   uint64
	ballot uint32 // ballot that this member had promised
	state  State
	round  uint32
	next   time.Duration // when to send it again
	wait   time.Duration // time from the last sending to next
}

const (
	rhythmLength = 16
	paceLength   = 9
)

// A rhythm holds the last gaps between a member's heartbeats.
type rhythm struct {
	last time.Duration
	gaps []time.Duration
	far  time.Duration // six deviations above the median gap; 0 if not computed yet
}

func (r *rhythm) hear(now time.Duration) {
	if r.last > 0 {
		r.gaps = append(r.gaps, now-r.last)
		r.far = 0
		if len(r.gaps) > rhythmLength {
			r.gaps = r.gaps[1:]
		}
	}
	r.last = now
}

// expected returns the longest expected gap: six deviations above the median.
func (r *rhythm) expected() time.Duration {
	if r.far == 0 && len(r.gaps) > 0 {
		mid := median(r.gaps)
		var square float64
		for _, g := range r.gaps {
			square += float64(g-mid) * float64(g-mid)
		}
		r.far = mid + 6*time.Duration(math.Sqrt(square/float64(len(r.gaps))))
	}
	return r.far
}

// A pace holds the durations of a member's last local updates, from the beginning of the slot
// to the member's Seeds or Blob.
type pace struct {
	since    time.Duration
	underway bool
	took     []time.Duration
}

func (p *pace) began(now time.Duration) { p.since, p.underway = now, true }

func (p *pace) ended(now time.Duration) {
	if !p.underway {
		return
	}
	p.underway = false
	p.took = append(p.took, now-p.since)
	if len(p.took) > paceLength {
		p.took = p.took[1:]
	}
}

// usual returns the longest of the last updates, since not every one has a pass over the rows; 0 if
// none was measured.
func (p *pace) usual() time.Duration {
	if len(p.took) == 0 {
		return 0
	}
	return slices.Max(p.took)
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}
