package journal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/files"
)

// File is the name of the log in a participant's folder.
const File = "audit.log"

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
	Release   Event = "release"   // a file with noise was written
	Export    Event = "export"    // another file was written
	Torn      Event = "torn"      // an incomplete line was moved away
)

var events = []Event{Agreement, Begun, Resumed, Members, Decided, Ended, Release, Export, Torn}

// A Record is a line. Its fields depend on the event.
type Record struct {
	Version  int       `json:"version"`
	Line     int       `json:"line"` // from 1
	At       time.Time `json:"at"`
	Event    Event     `json:"event"`
	Run      string    `json:"run,omitempty"`
	Digest   string    `json:"digest,omitempty"` // SHA-256 of the agreement, the total, the messages, the file or the torn line
	Signers  []string  `json:"signers,omitempty"`
	Model    string    `json:"model,omitempty"`
	Members  []Member  `json:"members,omitempty"`
	Missing  []Missing `json:"missing,omitempty"`
	Slot     uint64    `json:"slot,omitempty"`
	Round    uint32    `json:"round,omitempty"`
	Kind     string    `json:"kind,omitempty"` // kind of the decision
	Count    int       `json:"count,omitempty"`
	Why      string    `json:"why,omitempty"`
	Chain    string    `json:"chain,omitempty"` // chain over all decisions of the run, as in state.db
	File     string    `json:"file,omitempty"`
	Previous string    `json:"previous"` // SHA-256 of the line before, without its newline; zeros in line 1
}

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

// mostLine bounds a line, in bytes.
const mostLine = 16 << 20

// A Damage reports the first wrong line.
type Damage struct {
	Line int
	What string
}

func (e *Damage) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// A State is the state of the log after its last complete line.
type State struct {
	Lines int      // complete lines
	Size  int64    // bytes of these lines
	Head  [32]byte // SHA-256 of the last line; zeros if there is none
	Torn  []byte   // incomplete line after it
}

// Read reads a log from the state that it had before, and passes each line to f. It returns a
// *Damage for the first line that is not as this program writes it, or does not follow the line
// before. A last line without a newline is Torn, not an error.
func (s *State) Read(r io.Reader, f func(Record)) error {
	b := bufio.NewReader(r)
	for {
		line, err := readLine(b)
		if errors.Is(err, io.EOF) {
			s.Torn = line
			return nil
		}
		if err != nil {
			return err
		}
		if line == nil {
			return &Damage{s.Lines + 1, fmt.Sprintf("want at most %d bytes", mostLine)}
		}
		record, err := decode(line)
		if err == nil {
			err = s.follows(record)
		}
		if err != nil {
			return &Damage{s.Lines + 1, err.Error()}
		}
		s.Lines, s.Size, s.Head = s.Lines+1, s.Size+int64(len(line))+1, sha256.Sum256(line)
		f(record)
	}
}

// readLine returns a line without its newline, or nil if it is too long. With io.EOF it returns
// the rest.
func readLine(b *bufio.Reader) (line []byte, err error) {
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, nil
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

func decode(line []byte) (r Record, err error) {
	if err := files.DecodeJSON(line, "record", &r); err != nil {
		return r, err
	}
	known := false
	for _, e := range events {
		known = known || e == r.Event
	}
	switch {
	case r.Version != version:
		return r, fmt.Errorf("want version %d, got %d", version, r.Version)
	case !known:
		return r, fmt.Errorf("want an event, got %q", r.Event)
	}
	return r, nil
}

func (s *State) follows(r Record) error {
	if want := hex.EncodeToString(s.Head[:]); r.Previous != want {
		return fmt.Errorf("want the digest %s of line %d, got %s: this line or the one before was changed, or lines between them are gone", short(want), s.Lines, short(r.Previous))
	}
	if r.Line != s.Lines+1 {
		return fmt.Errorf("want number %d, got %d", s.Lines+1, r.Line)
	}
	return nil
}

func short(digest string) string { return strings.ToValidUTF8(digest[:min(16, len(digest))], "?") }

// append returns the next line, with its newline.
func (s *State) append(r Record) []byte {
	r.Version, r.Line, r.Previous = version, s.Lines+1, hex.EncodeToString(s.Head[:])
	line, err := json.Marshal(r)
	if err != nil {
		panic("journal: " + err.Error()) // times after the year 9999
	}
	s.Lines, s.Size, s.Head = s.Lines+1, s.Size+int64(len(line))+1, sha256.Sum256(line)
	return append(line, '\n')
}
