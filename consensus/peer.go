package consensus

import (
	"math"
	"slices"
	"time"
)

// peer is what is known of another member.
type peer struct {
	heard     time.Duration // when its last message came
	rhythm    rhythm        // of its heartbeats
	slot      uint64        // of its last heartbeat
	heartbeat Heartbeat     // its last heartbeat
	left      *Leave
	gone      time.Duration // when it left
	help      [2]help       // unasked and asked
	pace      pace          // of its local updates
	asked     uint32        // rounds to come in which it is not waited for again at the round's start
	misses    uint32        // times that it was waited for in vain
}

// ready reports whether the member's learner has come to a slot.
func (p *peer) ready(slot uint64) bool { return p.slot == slot && !p.heartbeat.Behind }

// help is what was last sent again to a member.
type help struct {
	slot   uint64
	ballot uint32 // promised here
	state  State
	round  uint32
	next   time.Duration // when to send it once more
	wait   time.Duration // between the last time and the next
}

const (
	rhythmLength = 16
	paceLength   = 9
)

// rhythm holds the last gaps between a member's heartbeats.
type rhythm struct {
	last time.Duration
	gaps []time.Duration
	far  time.Duration // six deviations above the median gap, once worked out; 0 if not
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

// expected returns the longest gap that is to be expected: six deviations above the median
// one.
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

// pace holds how long a member's last local updates took, from the slot's
// beginning to its opening message.
type pace struct {
	since time.Duration
	open  bool
	took  []time.Duration
}

func (p *pace) began(now time.Duration) { p.since, p.open = now, true }

func (p *pace) ended(now time.Duration) {
	if !p.open {
		return
	}
	p.open = false
	p.took = append(p.took, now-p.since)
	if len(p.took) > paceLength {
		p.took = p.took[1:]
	}
}

func (p *pace) usual() time.Duration {
	if len(p.took) == 0 {
		return 0
	}
	return median(p.took)
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}
