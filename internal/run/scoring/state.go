package scoring

import (
	"errors"
	"math"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// State is an event that goes on, so that another finder can go on with it.
type State struct {
	Event     *Event        `json:"event,omitempty"` // nil if none goes on
	Weight    float64       `json:"weight,omitempty"`
	Enough    bool          `json:"enough,omitempty"` // it has enough anomalies
	Told      bool          `json:"told,omitempty"`
	Recent    []int         `json:"recent,omitempty"`
	Parts     []float64     `json:"parts,omitempty"`
	Guilty    []int         `json:"guilty,omitempty"`
	Explained int           `json:"explained,omitempty"`
	AtPeak    []causeState  `json:"at_peak,omitempty"`
	Cells     dataset.Cells `json:"cells,omitempty"`
}

// causeState is a Cause with what its own form in JSON lacks.
type causeState struct {
	Cause
	Place int `json:"place"` // Column
}

// Goes reports whether an event goes on.
func (s *State) Goes() bool { return s.Event != nil }

// State returns the event that goes on.
func (f *Finder) State() State {
	c := f.going
	if c == nil {
		return State{}
	}
	e := c.Event
	s := State{
		Event: &e, Weight: math.Min(c.Weight, math.MaxFloat64), Enough: c.place >= 0, Told: c.told,
		Recent: f.joiner.recent, Parts: c.parts, Guilty: c.guilty, Explained: c.explained,
	}
	for _, x := range c.atPeak {
		s.AtPeak = append(s.AtPeak, causeState{x, x.Column})
	}
	for _, v := range c.cells {
		if math.IsNaN(v) {
			s.Cells = append(s.Cells, nil)
		} else {
			s.Cells = append(s.Cells, &v)
		}
	}
	return s
}

// Resume continues the event of a state. The finder must not have any rows yet, and the model must be
// that of the state.
func (f *Finder) Resume(s State) error {
	if s.Event == nil {
		return nil
	}
	columns, cells := len(f.m.DataColumns()), f.m.Manifest.Columns
	explained := s.AtPeak != nil || s.Parts != nil
	if explained && (len(s.Parts) != columns || len(s.Guilty) != columns || len(s.AtPeak) != columns || len(s.Cells) != len(cells)) || len(s.Recent) == 0 {
		return errors.New("event: its sensors are not those of the model")
	}
	c := &course{Event: *s.Event, place: -1, told: s.Told, parts: s.Parts, guilty: s.Guilty, explained: s.Explained}
	c.Weight = s.Weight
	for _, x := range s.AtPeak {
		if x.Place < 0 || x.Place >= len(cells) {
			return errors.New("event: its sensors are not those of the model")
		}
		x.Column = x.Place
		c.atPeak = append(c.atPeak, x.Cause)
	}
	for _, v := range s.Cells {
		value := math.NaN()
		if v != nil {
			value = *v
		}
		c.cells = append(c.cells, value)
	}
	f.joiner.file, f.joiner.last, f.joiner.recent, f.joiner.enough = c.File, c.Last, s.Recent, s.Enough
	if s.Enough {
		c.place = len(f.found.Events)
		f.found.Events = append(f.found.Events, c.Event)
	}
	f.going = c
	return nil
}
