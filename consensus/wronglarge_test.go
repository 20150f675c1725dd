package consensus

import (
	"math"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// Wrong messages that open a slot of a large roster are ignored, since the right ones can be
// requested again. These are the sum of the pads, its frames, and the members of a new epoch.
func TestWrongOpeningsOfLargeRosters(t *testing.T) {
	for kind := range largeKinds {
		at := largeAt(t, kind, 2)
		self, lane := uint32(at.m.p.Self), uint32(at.m.p.lanes())
		reopen := func(epoch uint32, lost ...Substitute) Body { return &Reopen{Epoch: epoch, Lost: lost} }
		var all []Substitute
		for s := range uint32(LargeSize) {
			all = append(all, Substitute{s, self})
		}
		for name, msg := range map[string]Message{
			"an epoch before all":           {Body: reopen(0)},
			"an epoch that nobody comes to": {Body: reopen(math.MaxUint32)},
			"an epoch of another attempt":   {Ballot: 1, Body: reopen(5)},
			"lost out of order":             {Body: reopen(5, Substitute{9, self}, Substitute{8, self})},
			"lost twice":                    {Body: reopen(5, Substitute{9, self}, Substitute{9, self})},
			"lost, and stands in":           {Body: reopen(5, Substitute{8, 9}, Substitute{9, self})},
			"stands in for itself":          {Body: reopen(5, Substitute{self, self})},
			"all are lost":                  {Body: reopen(5, all...)},
			"nobody is lost":                {Body: reopen(5, Substitute{LargeSize, self})},
			"nobody stands in":              {Body: reopen(5, Substitute{9, math.MaxUint32})},
			"no sum":                        {Body: &Opened{}},
			"a sum that is too short":       {Body: &Opened{Words: []uint64{1}}},
			"another sum":                   {Body: &Opened{Words: []uint64{1, 2, 3, 4}[:len(at.m.slot.results.sealed[0].Words)]}},
			"a sum of another attempt":      {Ballot: 1, Body: &Opened{Words: []uint64{1}}},
			"a frame of another epoch":      {Body: &Step{Lane: lane + 1, Words: []uint64{1}}},
			"a frame of no epoch":           {Body: &Step{Lane: math.MaxUint32, Words: []uint64{1}}},
			"a frame of no round":           {Body: &Step{Lane: lane, Round: 99, Words: []uint64{1}}},
			"a frame of no length":          {Body: &Step{Lane: lane}},
		} {
			x, _ := NewFuzzedLarge(t, []byte{2, byte(kind)})
			before := unpeered(x.m)
			v, err := Validate(msg, LargeSize)
			if err != nil {
				continue
			}
			e := x.m.Step(x.m.now, Receive{From: x.attacker, Message: v})
			if e.Err != nil || len(e.Sends)+len(e.Writes)+len(e.Decisions) > 0 || unpeered(x.m) != before {
				t.Errorf("%s, %s: %+v, or has changed something", largeKinds[kind].Scheme, name, e)
			}
			x.Finish()
			if x.m.Slot() != 1 {
				t.Errorf("%s, %s: does not continue, %s", largeKinds[kind].Scheme, name, x.m.State())
			}
		}
	}
}

// A session with only one member does not begin, although that member could rebuild all pads.
func TestAnEpochOfOneMemberIsNotBegun(t *testing.T) {
	for kind := range largeKinds {
		x, _ := NewFuzzedLarge(t, []byte{1, byte(kind)})
		by := uint32(x.m.p.Self)
		clear(x.m.slot.attempts[0].secrets.held)
		b := &Reopen{Epoch: 5}
		for s := range LargeSize {
			if s == int(by) {
				continue
			}
			b.Lost = append(b.Lost, Substitute{uint32(s), by})
			x.m.slot.attempts[0].secrets.commits[s] = x.m.slot.attempts[0].naming.commitment(s, 0, [32]byte{})
			x.m.slot.opener.(*openSum).shares[s] = chunking.SplitSecret([32]byte{}, x.m.roster.Shares, x.m.roster.Shares, [32]byte{})
		}
		x.tick(time.Second) // an epoch that comes too soon is not entered
		x.Give(received(t, 0, Message{Body: b}).Message)
		x.Finish()
		if x.m.err != nil || x.m.Slot() != 0 || x.m.State() != Opening {
			t.Errorf("%s: %s, %v", largeKinds[kind].Scheme, x.m.State(), x.m.err)
		}
	}
}
