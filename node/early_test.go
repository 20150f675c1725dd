package node

import (
	"errors"
	"testing"
	"time"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// Members find each other before the time at which the run may begin, and the run begins at
// that time. No timeout counts the wait.
func TestNoRunBeginsEarly(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		list(t, configs)
		at := time.Now().Add(time.Minute)
		met := make([]chan Status, 3)
		for i := range configs {
			configs[i].BeginAt, configs[i].JoinTimeout = at, 20*time.Second
			met[i] = make(chan Status, 100)
			configs[i].OnStatus = func(s Status) { met[i] <- s }
		}
		all := joinAll(t, configs...)
		for i := range all {
			var s Status
			for len(s.Present) < 3 {
				s = nodetest.Receive(t, met[i])
			}
			if !s.BeginAt.Equal(at) {
				t.Errorf("the status has the time %v, want %v", s.BeginAt, at)
			}
		}
		if early := time.Until(at); early < 50*time.Second {
			t.Errorf("they have met %v before the time, want at once", early)
		}
		pass(55 * time.Second)
		for i, j := range all {
			j.keepsWaiting(t, configs[i].Name)
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

// The time is part of the agreement, and signed.
func TestTheBeginIsAgreedOn(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		list(t, configs)
		at := time.Now().Add(time.Hour)
		for i := range configs {
			configs[i].BeginAt = at
		}
		configs[2].BeginAt = at.Add(time.Second)
		all := joinAll(t, configs...)
		var differs *DisagreementError
		if end := all[2].wait(t); !errors.As(end.err, &differs) || differs.Field != "begin at" {
			t.Errorf("a member with another time ends with %v", end.err)
		}
		own, signature, err := SignList(configs[0])
		if err != nil || !configs[0].SignedBy(own, signature) {
			t.Fatal(err)
		}
		timed := configs[0]
		if timed.BeginAt = at.Add(time.Second); timed.SignedBy(own, signature) {
			t.Error("the signature is valid for another time")
		}
		_, signature, err = SignList(timed)
		zone := timed
		if zone.BeginAt = timed.BeginAt.In(time.FixedZone("east", 3600)); err != nil || !zone.SignedBy(own, signature) {
			t.Errorf("%v, or the signature is not good for the same time in another zone", err)
		}
	})
}
