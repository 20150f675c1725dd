package netsim

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Delays follow the model, and are never below the least.
func TestLatencies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	measured, err := ReadRTTs(strings.NewReader("from,to,rtt_ms\na,b,100\n"), Names(4))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		l        Latency
		from, to int
		median   time.Duration
	}{
		"constant":       {Constant(5 * time.Millisecond), 0, 1, 5 * time.Millisecond},
		"uniform":        {Uniform(5 * time.Millisecond), 0, 1, 5 * time.Millisecond},
		"log-normal":     {LogNormal{5 * time.Millisecond, 0.8}, 0, 1, 5 * time.Millisecond},
		"between places": {measured, 0, 1, 50 * time.Millisecond},
		"within a place": {measured, 0, 2, 500 * time.Microsecond},
		"the other way":  {measured, 3, 0, 50 * time.Millisecond},
	} {
		if err := test.l.Check(4); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var all []time.Duration
		for range 2001 {
			d := test.l.Delay(test.from, test.to, r)
			if d < test.l.Least() || d <= 0 {
				t.Fatalf("%s: %s, below %s", name, d, test.l.Least())
			}
			all = append(all, d)
		}
		slices.Sort(all)
		if got := all[1000]; math.Abs(float64(got-test.median)) > 0.06*float64(test.median) {
			t.Errorf("%s: median %s, want %s", name, got, test.median)
		}
	}
}

func TestRoundTripsThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "want a header",
		"from,to,rtt_ms\n":                "want at least one row",
		"from,to,rtt_ms\na,b,fast\n":      `line 2: want milliseconds above 0, got "fast"`,
		"from,to,rtt_ms\na,b,-1\n":        "want milliseconds above 0",
		"from,to,rtt_ms\na,b,1\nb,c,1\n":  "want a time between a and c",
		"from,to,rtt_ms\np0001,p0002,1\n": "want times of all members, none of p0003",
		"from,to,rtt_ms\na,b\n":           "wrong number of fields",
	} {
		if _, err := ReadRTTs(strings.NewReader(text), Names(3)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// Messages pass through a narrow link one by one.
func TestBandwidthQueues(t *testing.T) {
	p := pipe{rate: 1000}
	if a, b, c := p.through(0, 500), p.through(0, 500), p.through(5*time.Second, 100); a != 500*time.Millisecond || b != time.Second || c != 5100*time.Millisecond {
		t.Errorf("got %s, %s, %s", a, b, c)
	}
	wide, _ := simulate(t, Config{Names: Names(6), Settings: exactly, Seed: 1}, 3)
	narrow, _ := simulate(t, Config{Names: Names(6), Settings: exactly, Seed: 1, Faults: []Fault{Bandwidth{Up: 2000, Down: 2000}}}, 3)
	if narrow.Virtual < 3*wide.Virtual {
		t.Errorf("%s over a narrow link, %s over a wide one", narrow.Virtual, wide.Virtual)
	}
}

// A member behind a NAT can be reached, for a while, by the members that it has sent to.
func TestNAT(t *testing.T) {
	h := &hidden{NAT: NAT{Idle: time.Minute}, behind: []bool{true, false}, opened: map[[2]int]time.Duration{}}
	for i, step := range []struct {
		from, to int
		at       time.Duration
		cut      bool
	}{{1, 0, 0, true}, {0, 1, time.Second, false}, {1, 0, 2 * time.Second, false}, {1, 0, 2 * time.Minute, true}} {
		if got := h.cuts(step.from, step.to, step.at); got != step.cut {
			t.Errorf("step %d: cut %v, want %v", i, got, step.cut)
		}
	}
}

// A one-way partition drops messages in one direction only.
func TestOneWay(t *testing.T) {
	p := &partitioned{side: []int{1, 2, 0}, oneWay: true}
	if p.cuts(0, 1, 0) || !p.cuts(1, 0, 0) || p.cuts(2, 0, 0) || p.cuts(1, 2, 0) {
		t.Error("want side 2 not to reach side 1, and nothing else cut")
	}
}

// A message over a stream that fails for seconds arrives when the link works again; gossip does
// not.
func TestStreamsSendAgain(t *testing.T) {
	c := Config{Names: Names(3), Settings: exactly, Seed: 1}
	n, err := newNetwork(c)
	if err != nil {
		t.Fatal(err)
	}
	cut := &partitioned{side: []int{1, 2, 0}}
	n.cut(cut)
	n.carry(parcel{from: 0, to: 1, what: nil}, 0)
	n.carry(parcel{from: 0, to: 1, gossip: true}, 0)
	came := 0
	for len(n.events) > 0 {
		e := n.events.pop()
		if e.at > 2*time.Second {
			n.mend(cut)
		}
		if d, is := e.what.(deed); is {
			d(e.at)
		} else {
			came++
		}
	}
	if came != 1 {
		t.Errorf("%d messages came, want that of the stream", came)
	}
}
