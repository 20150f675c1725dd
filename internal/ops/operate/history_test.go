package operate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// inRound returns the status of a member of size that has completed round.
func inRound(round, size int) *Status {
	s := running()
	s.Round, s.Rounds, s.At = round, 10000, noon.Add(time.Duration(round)*time.Second)
	s.Last = &Round{Objective: report.Of(-float64(round)), Loss: report.Of(float64(round)), Members: size}
	s.Node.Want, s.Node.Members = size, nil
	for i := range size {
		name := fmt.Sprintf("member-%03d", i)
		s.Node.Members, s.Roster = append(s.Node.Members, name), append(s.Roster, name+" (12D3KooWLRPJAA5o6)")
		for d := 1; d <= 4; d++ {
			s.Node.Edges = append(s.Node.Edges, node.Exchange{A: name, B: fmt.Sprintf("member-%03d", (i+d)%size)})
		}
	}
	s.Node.Name, s.Node.LastDifference = "member-000", 1e-6
	s.Node.Traffic.BytesSent = uint64(1000 * round)
	return s
}

// A page of 200 members after 10,000 rounds, with an event in each, is small enough to be drawn from
// one answer. The rounds that it keeps are spread evenly, and the last one is among them.
func TestTheHistoryIsBounded(t *testing.T) {
	const rounds, size = 10000, 200
	p := NewPage(systemClock)
	status := inRound(1, size)
	for round := 1; round <= rounds; round++ {
		s := *status
		n := *s.Node
		s.Node, s.Round, s.At = &n, round, noon.Add(time.Duration(round)*time.Second)
		n.Links = []node.Link{{Name: "member-001", Via: []string{"", "member-002"}[round%2]}}
		p.Next(&s)
	}
	run := p.since(0, 0).run
	if n := len(run.Rounds); n > mostPoints || n < mostPoints/2 || run.Rounds[n-1].Round != rounds {
		t.Fatalf("got %d rounds up to %d", n, run.Rounds[n-1].Round)
	}
	step := run.Rounds[1].Round - run.Rounds[0].Round
	for i, q := range run.Rounds[1 : len(run.Rounds)-1] {
		if q.Round-run.Rounds[i].Round != step {
			t.Fatalf("round %d follows %d, want steps of %d", q.Round, run.Rounds[i].Round, step)
		}
	}
	if n := len(run.Events); n != mostEvents || run.Events[n-1].Number < rounds-1 || run.Events[n-1].Round != rounds {
		t.Errorf("got %d events, the last %+v", n, run.Events[n-1])
	}
	text, err := json.Marshal(run)
	if err != nil || len(text) > 1<<20 {
		t.Errorf("got %d bytes: %v", len(text), err)
	}
	rest := p.since(rounds-1, run.Events[mostEvents-2].Number).run
	if len(rest.Rounds) != 1 || len(rest.Events) != 1 {
		t.Errorf("got %d rounds and %d events that are new, want 1 and 1", len(rest.Rounds), len(rest.Events))
	}
}

func TestAPointHasTheFiguresOfItsRound(t *testing.T) {
	h := newHistory()
	h.next(inRound(0, 3))
	h.next(inRound(1, 3))
	h.next(inRound(1, 3)) // a second status in the same round
	h.next(&Status{Phase: Running, Round: 3, Rounds: 9, At: noon, Last: &Round{Members: 5, Virtual: time.Minute, Step: true, Objective: report.Of(0.5)}})
	want := []Point{
		{Round: 1, At: noon.Add(time.Second), Objective: report.Of(-1), Members: 3, Error: 1e-6, BytesSent: 1000, BytesReceived: 2000},
		{Round: 3, At: noon, Virtual: time.Minute, Objective: report.Of(0.5), Step: true, Members: 5}, // of a simulation
	}
	if !reflect.DeepEqual(h.points, want) {
		t.Errorf("got %+v, want %+v", h.points, want)
	}
}

// A process that resumes a run repeats its rounds without new sums.
func TestRoundsOfAnEarlierProcessAreNoPoints(t *testing.T) {
	h := newHistory()
	for round := range 4 {
		s := inRound(round, 3)
		s.Resumed = 2
		h.next(s)
	}
	if len(h.points) != 1 || h.points[0].Round != 3 {
		t.Errorf("got %+v", h.points)
	}
}

func TestTheTimelineHasWhatHappens(t *testing.T) {
	h := newHistory()
	step := func(round int, change func(*Status)) {
		s := inRound(round, 3)
		s.Run = "r"
		if change != nil {
			change(s)
		}
		h.next(s)
	}
	absent := node.Absent{Name: "member-002", Reason: "silent", Lost: true}
	h.next(&Status{Phase: Joining, Node: &node.Status{Name: "member-000", Want: 3, Present: []string{"member-000 (p)"}}})
	step(1, nil)
	step(1, func(s *Status) { s.Node.Links = []node.Link{{Name: "member-001", Via: "member-002"}} })
	step(2, func(s *Status) { s.Node.Members, s.Node.Absent = s.Node.Members[:2], []node.Absent{absent} })
	step(2, func(s *Status) { s.Node.Paused, s.Node.Absent = true, []node.Absent{absent} })
	step(2, func(s *Status) { // paused for long
		s.At = s.At.Add(time.Hour)
		s.Node.Paused, s.Node.Absent = true, []node.Absent{absent}
	})
	step(2, nil)
	step(3, func(s *Status) { s.Knowns, s.Known = 1, []Warning{known("a total is of one member")} })
	step(3, func(s *Status) { s.Knowns, s.Roster = 1, s.Roster[:2] })
	type brief struct {
		round  int
		kind   EventKind
		member string
	}
	var got []brief
	for i, e := range h.events {
		if e.Number != i+1 || e.Text == "" {
			t.Errorf("event %d: %+v", i, e)
		}
		got = append(got, brief{e.Round, e.Kind, e.Member})
	}
	want := []brief{
		{0, Begun, ""},
		{1, Begun, ""},
		{1, Relayed, "member-001"},
		{2, Left, "member-002"},
		{2, Paused, ""},
		{2, Resumed, ""},
		{3, Returned, "member-002"},
		{3, Known, ""},
		{3, Changed, ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

// When the member that was shown has ended, another one goes on.
func TestAnotherMemberGoesOn(t *testing.T) {
	h := newHistory()
	first, second := inRound(2, 3), inRound(1, 3)
	first.Name, first.Knowns, first.Known = "a", 2, []Warning{known("x"), known("y")}
	second.Name = "b"
	h.next(inRound(1, 3))
	h.next(first)
	h.next(second)
	second = inRound(3, 3)
	second.Name = "b"
	h.next(second)
	var rounds []int
	for _, p := range h.points {
		rounds = append(rounds, p.Round)
	}
	if !reflect.DeepEqual(rounds, []int{1, 2, 3}) {
		t.Errorf("got rounds %v", rounds)
	}
}

func TestMembers(t *testing.T) {
	s := inRound(4, 3)
	n := s.Node
	n.Members = n.Members[:2]
	n.Absent = []node.Absent{{Name: "member-002", Reason: "silent", Lost: true}, {Name: "member-003", Reason: "catching up"}}
	n.Waiting = []node.Waiting{{Name: "member-001", For: 70 * time.Second}}
	n.Links = []node.Link{{Name: "member-001", Via: "member-003"}}
	const peer = "12D3KooWLRPJAA5o6"
	want := []Member{
		{Name: "member-000", Peer: peer, Own: true, State: Summed},
		{Name: "member-001", Peer: peer, State: Summed, Via: "member-003", Waited: s.At.Add(-70 * time.Second), waited: 70 * time.Second},
		{Name: "member-002", Peer: peer, State: Lost, Reason: "silent"},
		{Name: "member-003", State: Out, Reason: "catching up"},
	}
	if got := s.members(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	n.PausedBy = 2
	if got := s.members(); got[0].State != Here || got[2].State != Away {
		t.Errorf("in a pause by agreement, got %+v", got)
	}
	joining := &Status{Phase: Joining, Node: &node.Status{Name: "a", Present: []string{"a (p)"}, Missing: []string{"b (q)"}}}
	if got := joining.members(); !reflect.DeepEqual(got, []Member{{Name: "a", Peer: "p", Own: true, State: Here}, {Name: "b", Peer: "q", State: Missing}}) {
		t.Errorf("while joining, got %+v", got)
	}
}
