package scoring

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/follow"
	"github.com/collabdict/collabdict/internal/files"
)

// A Series is rows that follow each other, whether they come in one piece or in several.
type Series struct {
	dataset.Series // of a Spec that reads the next rows
	Scorer         *Scorer
	Finder         *Finder
}

// State is what the next row of a series needs of the rows before it, so that another process can go on.
type State struct {
	Format  string         `json:"format"`           // "collabdict series"
	Version int            `json:"version"`          // of the format
	Model   string         `json:"model"`            // SHA-256 of the model's file
	Source  string         `json:"source,omitempty"` // name of the series, if it has one
	File    *follow.Place  `json:"file,omitempty"`   // where the rows of a file that grows have ended
	Rows    dataset.Series `json:"rows"`             // those of the window that goes on, and the number of all
	Scores  []string       `json:"scores,omitempty"` // the last ones of a rolling threshold, as text since some may be infinite
	Event   *eventState    `json:"event,omitempty"`  // the event that goes on
}

const (
	stateFormat  = "collabdict series"
	stateVersion = 1
)

// eventState is a course.
type eventState struct {
	Event
	Weight float64 `json:"weight,omitempty"`
	Enough bool    `json:"enough,omitempty"` // it has enough anomalies
	Told   bool    `json:"told,omitempty"`
	Recent []int   `json:"recent"` // as in Joiner
}

// ParseState reads a state. Whether it fits a model is checked by [Series.Resume].
func ParseState(text []byte) (*State, error) {
	s := &State{}
	if err := files.DecodeJSON(text, "state of a series", s); err != nil {
		return nil, err
	}
	if s.Format != stateFormat || s.Version != stateVersion {
		return nil, fmt.Errorf("want format %q of version %d, got %q of version %d", stateFormat, stateVersion, s.Format, s.Version)
	}
	return s, nil
}

// Bare reports whether the next row needs nothing but its number and its place.
func (s *State) Bare() bool {
	return len(s.Rows.Recent) == 0 && len(s.Rows.Steps) == 0 && len(s.Scores) == 0 && s.Event == nil
}

// State returns the state after the rows so far, which a model with the given digest has scored.
func (s *Series) State(model string) *State {
	of := &State{Format: stateFormat, Version: stateVersion, Model: model, Rows: s.Series, Event: s.Finder.state()}
	for _, v := range s.Scorer.Limits.Recent() {
		of.Scores = append(of.Scores, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return of
}

// Resume continues the series of a state of the same model. The series must not have any rows yet.
func (s *Series) Resume(of *State) error {
	columns, window := len(s.Scorer.Model.DataColumns()), s.Scorer.Model.Manifest.Window
	bad := func(row dataset.Cells) bool { return len(row) != columns }
	if of.Rows.Rows < 0 || len(of.Rows.Recent) > max(0, window-1) || slices.ContainsFunc(of.Rows.Recent, bad) {
		return errors.New("rows: they are not those of the model's window")
	}
	for _, text := range of.Scores {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) {
			return fmt.Errorf("scores: want numbers, got %q", text)
		}
		s.Scorer.Limits.Above(v)
	}
	s.Series = of.Rows
	if of.File != nil {
		if err := of.File.Check(); err != nil {
			return fmt.Errorf("file: %w", err)
		}
	}
	return s.Finder.resume(of.Event, of.Rows.Rows)
}

// state returns the event that goes on, nil if there is none.
func (f *Finder) state() *eventState {
	c := f.going
	if c == nil {
		return nil
	}
	return &eventState{Event: c.Event, Weight: math.Min(c.Weight, math.MaxFloat64), Enough: f.joiner.enough, Told: c.told, Recent: f.joiner.recent}
}

// resume continues the event of a state, nil for none, after a number of rows.
func (f *Finder) resume(s *eventState, rows int) error {
	if s == nil {
		return nil
	}
	if s.First < 1 || s.Last < s.First || s.Last > rows || len(s.Recent) == 0 || s.Recent[0] < s.First || !slices.IsSorted(s.Recent) || s.Recent[len(s.Recent)-1] != s.Last {
		return fmt.Errorf("event: want rows in order, at most %d, got %d to %d, and %v", rows, s.First, s.Last, s.Recent)
	}
	unknown := func(c Cause) bool { return !slices.Contains(f.m.DataColumns(), c.Sensor) }
	if len(s.Sensors) > sensorsPerEvent || slices.ContainsFunc(s.Sensors, unknown) {
		return errors.New("event: its sensors are not those of the model")
	}
	c := &course{Event: s.Event, place: -1, told: s.Told}
	c.Weight = s.Weight
	f.joiner.last, f.joiner.recent, f.joiner.enough = c.Last, s.Recent, s.Enough
	if !f.Continued {
		f.joiner.file = c.File
	}
	f.going = c
	return nil
}
