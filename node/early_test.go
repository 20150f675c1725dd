package node

import (
	"errors"
	"testing"
	"time"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// Members find each other before the time at which the run may begin, and it begins then. The
// wait is in no timeout.
func TestNoRunBeginsEarly(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		list(t, configs)
		at := time.Now().Add(time.Minute)
		var all []*joining
		var peers []string
		met := make([]chan Status, 3)
		for i, c := range configs {
			c.BeginAt, c.JoinTimeout, c.Peers = at, 20*time.Second, peers
			met[i] = make(chan Status, 100)
			c.OnStatus = func(s Status) { met[i] <- s }
			all = append(all, join(t, c))
			peers = append(peers, nodetest.Receive(t, all[i].addrs)...)
		}
		for i := range all {
			for len(nodetest.Receive(t, met[i]).Present) < 3 {
			}
		}
		if early := time.Until(at); early < 50*time.Second {
			t.Errorf("they have met %v before the time, want at once", early)
		}
		pass(55 * time.Second)
		for i, j := range all {
			j.goesOn(t, configs[i].Name)
		}
		for i, j := range all {
			if end := j.wait(t); end.err != nil {
				t.Fatalf("member %d ends with %v", i, end.err)
			}
		}
		if late := time.Since(at); late < 0 || late > 10*time.Second {
			t.Errorf("it begins %v after the time, want soon after", late)
		}
	})
}

// The time is agreed on, and signed.
func TestTheBeginIsAgreedOn(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		list(t, configs)
		at := time.Now().Add(time.Hour)
		var all []*joining
		var peers []string
		for i, c := range configs {
			c.BeginAt, c.Peers = at, peers
			if i == 2 {
				c.BeginAt = at.Add(time.Second)
			}
			all = append(all, join(t, c))
			peers = append(peers, nodetest.Receive(t, all[i].addrs)...)
		}
		var differs *DisagreementError
		if end := all[2].wait(t); !errors.As(end.err, &differs) || differs.Field != "begin at" {
			t.Errorf("a member with another time ends with %v", end.err)
		}
		own, signature, err := SignList(configs[0])
		if err != nil || !configs[0].SignedBy(own, signature) {
			t.Fatal(err)
		}
		timed := configs[0]
		if timed.BeginAt = at; timed.SignedBy(own, signature) {
			t.Error("the signature is good for another time")
		}
		_, signature, err = SignList(timed)
		zone := timed
		if zone.BeginAt = at.In(time.FixedZone("east", 3600)); err != nil || !zone.SignedBy(own, signature) {
			t.Errorf("%v, or the signature is not good for the same time in another zone", err)
		}
	})
}
