package participant

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
)

// Audited is the summary of a folder's journal.
type Audited struct {
	Lines    int          `json:"lines"`    // its lines
	Head     string       `json:"head"`     // SHA-256 of the last line
	Torn     int          `json:"torn"`     // bytes at the end that are not a whole line
	First    time.Time    `json:"first"`    // the time of the first line
	Last     time.Time    `json:"last"`     // the time of the last line
	Runs     []AuditedRun `json:"runs"`     // runs, in order
	Releases int          `json:"releases"` // released files
	Exports  int          `json:"exports"`  // exported files
	CutOff   int          `json:"cut_off"`  // lines that a killed process left incomplete
	// Compared reports whether the last run was compared with state.db, and agrees.
	Compared bool `json:"compared"`
	// Behind are further decisions in state.db, which a killed process did not record.
	Behind int `json:"behind"`
}

// AuditedRun is a run in a journal.
type AuditedRun struct {
	Run     string    `json:"run"`           // its identity
	Model   string    `json:"model"`         // its kind
	Began   time.Time `json:"began"`         // when it began
	Members int       `json:"members"`       // members at the start
	Decided int       `json:"decided"`       // decided collectives
	Round   uint32    `json:"round"`         // the last round
	Resumed int       `json:"resumed"`       // how often it was resumed
	End     string    `json:"end,omitempty"` // end of the last process; absent if it was killed, or still runs

	digests map[uint64]entry
}

// entry is a decision in the journal.
type entry struct {
	line   int
	digest string
}

// ReadAudit checks the journal of a folder. It compares the decisions of its last run with
// those in state.db, unless a process holds that. The error about damage is an
// [*journal.DamageError].
func ReadAudit(dir string) (*Audited, error) {
	a := &Audited{Runs: []AuditedRun{}}
	state, err := journal.Check(dir, a.add)
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(a.compare(dir), err) // state.db knows whether there was one
	}
	if err != nil {
		return nil, err
	}
	a.Lines, a.Head, a.Torn = state.Lines, hex.EncodeToString(state.Head[:]), len(state.Torn)
	return a, a.compare(dir)
}

func (a *Audited) add(l journal.Line) {
	if l.Number == 1 {
		a.First = l.At
	}
	a.Last = l.At
	var run *AuditedRun
	if len(a.Runs) > 0 {
		run = &a.Runs[len(a.Runs)-1]
	}
	switch {
	case l.Event == journal.Begun:
		a.Runs = append(a.Runs, AuditedRun{Run: l.Run, Model: l.Model, Began: l.At, Members: len(l.Members), digests: map[uint64]entry{}})
	case l.Event == journal.Release:
		a.Releases++
	case l.Event == journal.Export:
		a.Exports++
	case l.Event == journal.Torn:
		a.CutOff++
	case run == nil:
	case l.Event == journal.Resumed:
		run.Resumed, run.End = run.Resumed+1, ""
	case l.Event == journal.Decided:
		run.Decided, run.Round = run.Decided+1, max(run.Round, l.Round)
		run.digests[l.Slot] = entry{l.Number, l.Digest}
	case l.Event == journal.Ended:
		run.End = l.Why
	}
}

// compare compares the decisions of the last run, and the head of the journal, with state.db.
func (a *Audited) compare(dir string) error {
	log, readable := logIn(dir)
	if !readable {
		return nil
	}
	defer log.Close()
	if err := a.compareRun(log, dir); err != nil {
		return err
	}
	last, err := log.Last()
	if err != nil || last == nil || last.Head == nil {
		return err
	}
	return journal.CheckHead(dir, last.Head)
}

func (a *Audited) compareRun(log *store.Store, dir string) error {
	if len(a.Runs) == 0 {
		return nil
	}
	run := a.Runs[len(a.Runs)-1]
	id, err := hex.DecodeString(run.Run)
	if err != nil {
		return err
	}
	st, err := log.Of([32]byte(id)) // its length has been checked
	if err != nil || st == nil {
		return err
	}
	a.Compared = true
	return st.Each(func(d *consensus.Decision) error {
		e, there := run.digests[d.Slot]
		if !there {
			a.Behind++
		} else if want := hex.EncodeToString(d.Digest[:]); e.digest != want {
			return &journal.DamageError{Path: filepath.Join(dir, journal.File), Err: &journal.Damage{
				Line: e.line, What: fmt.Sprintf("want the digest %.16s of slot %d, as state.db has it, got %.16s", want, d.Slot, e.digest),
			}}
		}
		return nil
	})
}
