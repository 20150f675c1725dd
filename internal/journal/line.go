package journal

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/report"
)

// An Event is the kind of a line.
type Event string

// The events.
const (
	Agreement Event = "agreement" // agreement of the following runs: its digest, and its signers
	Begun     Event = "begun"     // a run began, with its members
	Resumed   Event = "resumed"   // another process resumed a run
	Members   Event = "members"   // members of the following totals
	Decided   Event = "decided"   // a total, a gather or a change of the members was decided
	Ended     Event = "ended"     // this process ended this member's part of a run
	Release   Event = "release"   // a file with noise is about to be written
	Export    Event = "export"    // another file was written
	Torn      Event = "torn"      // an incomplete line was moved away
)

var events = []Event{Agreement, Begun, Resumed, Members, Decided, Ended, Release, Export, Torn}

// A Line is an event. Its fields depend on the kind.
type Line struct {
	Version int       `json:"version"`
	Number  int       `json:"line"` // from 1
	At      time.Time `json:"at"`
	Event   Event     `json:"event"`
	Run     string    `json:"run,omitempty"`
	Digest  string    `json:"digest,omitempty"` // SHA-256 of the agreement, the total, the messages, the file or the torn line
	Signers []string  `json:"signers,omitempty"`
	Model   string    `json:"model,omitempty"`
	Members []Member  `json:"members,omitempty"` // in resumed and ended: if members have joined
	Missing []Missing `json:"missing,omitempty"`
	// Hidden describes the protection of the participant's part in sums.
	Hidden string `json:"hidden,omitempty"`
	Rows   string `json:"rows,omitempty"` // digest of the own training rows, under a key
	Key    string `json:"key,omitempty"`  // which key that is
	// Entries are what others come to see: in begun, as far as it is known.
	Entries  []report.Entry `json:"entries,omitempty"`
	Slot     uint64         `json:"slot,omitempty"`
	Round    uint32         `json:"round,omitempty"`
	Kind     string         `json:"kind,omitempty"` // kind of the decision
	Count    int            `json:"count,omitempty"`
	Why      string         `json:"why,omitempty"`
	Chain    string         `json:"chain,omitempty"` // chain over all decisions of the run, as in state.db
	File     string         `json:"file,omitempty"`
	Previous string         `json:"previous"` // SHA-256 of the line before, without its newline; zeros in line 1
}

// Why a run ended.
const (
	AsPlanned = "finished as planned"
	Stopped   = "stopped by its operator"
	Failed    = "failed; the program's log says why"
)

// A Member is a member of a total or a run.
type Member struct {
	Name string `json:"name"`
	ID   string `json:"id,omitempty"` // peer ID
}

// A Missing is a member that is not in a total.
type Missing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

const version = 1

func decode(line []byte) (l Line, err error) {
	if err := files.DecodeJSON(line, "line of a journal", &l); err != nil {
		return l, err
	}
	if l.Version != version {
		return l, fmt.Errorf("want version %d, got %d", version, l.Version)
	}
	return l, l.check()
}

// check checks the fields from which views follow.
func (l *Line) check() error {
	if !slices.Contains(events, l.Event) {
		return fmt.Errorf("want an event, got %q", l.Event)
	}
	if l.At.IsZero() {
		return errors.New("want a time, got none")
	}
	var digests []string
	switch l.Event {
	case Begun:
		digests = []string{l.Run, l.Rows, l.Key}
	case Resumed, Ended:
		digests = []string{l.Run}
	case Agreement, Release:
		digests = []string{l.Digest}
	}
	for _, d := range digests {
		if raw, err := hex.DecodeString(d); err != nil || len(raw) != 32 || d != hex.EncodeToString(raw) {
			return fmt.Errorf("want digests of 64 hexadecimal digits, got %q", d)
		}
	}
	if l.Event == Begun && len(l.Members) == 0 {
		return errors.New("want the members of a run, got none")
	}
	for _, m := range l.Members { // a removed member and its successor may have one name
		if m.Name == "" || l.Run != "" && m.ID == "" {
			return fmt.Errorf("want members of a run with a name and an ID, got name %q and ID %q", m.Name, m.ID)
		}
	}
	return checkEntries(l.Entries)
}

func checkEntries(entries []report.Entry) error {
	for i, e := range entries {
		switch e.Kind {
		case report.TotalEntry, report.PublishedEntry, report.LoneEntry, report.NoiseEntry, report.ReleaseEntry:
		default:
			return fmt.Errorf("entry %d: unknown kind %q", i+1, e.Kind)
		}
		if s := e.Spend; s != nil && (!(s.ZCDP >= 0) || !(s.Epsilon >= 0) || !(s.Delta > 0 && s.Delta < 1)) {
			return fmt.Errorf("entry %d: want a loss and epsilon of at least 0 and a delta between 0 and 1, got %g, %g and %g", i+1, s.ZCDP, s.Epsilon, s.Delta)
		}
	}
	return nil
}

// encode returns a line without its newline, or an error if it could not be read again.
func (l *Line) encode() ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(l)
	if err == nil && len(b) > mostLine {
		err = fmt.Errorf("want at most %d bytes, got %d", mostLine, len(b))
	}
	return b, err
}
