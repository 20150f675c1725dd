package operate

import (
	"cmp"
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
)

const (
	// mostPoints is the number of rounds that a history keeps. With more, it keeps every second one,
	// then every fourth, and so on: 10,000 rounds are 1,250 points, which are as many as a page draws.
	mostPoints = 2048
	// mostEvents is the number of the last events that a history keeps.
	mostEvents = 1000
)

// Point has the figures of a completed round.
type Point struct {
	Round int       `json:"round"`       // its number, from 1
	At    time.Time `json:"at,omitzero"` // when it was completed, if known
	// Virtual is the time of a simulation.
	Virtual   time.Duration `json:"virtual,omitempty"`
	Objective report.Figure `json:"objective,omitzero"` // what training improves
	Step      bool          `json:"step,omitempty"`     // whether that is a step, which falls
	Members   int           `json:"members"`            // in the last sum of the round
	// Error is the largest relative error of a sum so far; absent if sums are exact.
	Error float64 `json:"error,omitempty"`
	// BytesSent and BytesReceived are those of the process so far; absent if unknown.
	BytesSent     uint64 `json:"bytes_sent,omitempty"`
	BytesReceived uint64 `json:"bytes_received,omitempty"` // as bytes_sent
}

// Happening is an event of a run.
type Happening struct {
	Number int       `json:"number"`           // from 1 at the start of the process
	At     time.Time `json:"at,omitzero"`      // when this process saw it, if known
	Round  int       `json:"round"`            // the last round that was completed then
	Kind   EventKind `json:"kind"`             // such as left, returned, paused or resumed
	Member string    `json:"member,omitempty"` // the member that it is about, if it is about one
	Text   string    `json:"text"`             // what has happened, in words
}

// A history follows the successive statuses of a process, and keeps a bounded part of them.
type history struct {
	reporter *Reporter
	member   string // whose statuses these are
	phase    Phase
	round    int
	points   []Point
	stride   int // points are of the rounds that it divides, but for the last
	events   []Happening
	happened int // events so far
}

func newHistory() *history { return &history{stride: 1} }

// next records what the next status tells. It may be that of another member, if the one before has
// ended: up shows the first one that still runs.
func (h *history) next(s *Status) {
	if h.reporter == nil || s.Name != h.member {
		h.member, h.reporter = s.Name, NewReporter(false, true)
	}
	if s.Phase != h.phase {
		h.phase = s.Phase
		h.event(Happening{At: s.Since, Round: s.Round, Kind: Begun, Text: string(s.Phase)})
	}
	for _, l := range h.reporter.Next(s) {
		if l.Event != "" {
			h.event(Happening{At: s.At, Round: s.Round, Kind: l.Event, Member: l.Member, Text: l.Text})
		}
	}
	if s.Round > h.round && s.Round > s.Resumed {
		h.round = s.Round
		h.point(pointOf(s))
	}
}

// pointOf returns the figures of the last round of a status.
func pointOf(s *Status) Point {
	p := Point{Round: s.Round, At: s.At}
	if l := s.Last; l != nil {
		p.Virtual, p.Objective, p.Step, p.Members = l.Virtual, l.Objective, l.Step, l.Members
	}
	if n := s.Node; n != nil {
		p.Members, p.Error = cmp.Or(len(n.Members), p.Members), n.LastDifference
		p.BytesSent, p.BytesReceived = n.Traffic.BytesSent, n.Traffic.BytesReceived
	}
	return p
}

func (h *history) event(e Happening) {
	h.happened++
	e.Number, e.Text = h.happened, ageless(e.Text)
	h.events = append(h.events, e)
	h.events = h.events[max(0, len(h.events)-mostEvents):]
}

// point adds a point. The last one always stays until the next comes.
func (h *history) point(p Point) {
	if n := len(h.points); n > 0 && h.points[n-1].Round%h.stride != 0 {
		h.points = h.points[:n-1]
	}
	h.points = append(h.points, p)
	for len(h.points) > mostPoints {
		h.stride *= 2
		last := len(h.points) - 1
		kept := slices.DeleteFunc(slices.Clone(h.points[:last]), func(p Point) bool { return p.Round%h.stride != 0 })
		h.points = append(kept, h.points[last])
	}
}

// since returns copies of the points of later rounds than round, and of the events with higher numbers than number.
func (h *history) since(round, number int) (points []Point, events []Happening) {
	from, _ := slices.BinarySearchFunc(h.points, round, func(p Point, after int) int {
		if p.Round <= after {
			return -1
		}
		return 1
	})
	first := slices.IndexFunc(h.events, func(e Happening) bool { return e.Number > number })
	if first < 0 {
		first = len(h.events)
	}
	return slices.Clone(h.points[from:]), slices.Clone(h.events[first:])
}
