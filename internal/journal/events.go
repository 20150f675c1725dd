package journal

import (
	"slices"

	"github.com/collabdict/collabdict/internal/run/report"
)

// A Start describes a run when it begins, and when a process resumes it.
type Start struct {
	Run       string // identity, in hexadecimal
	Model     string // kind
	Agreement string // digest
	Signers   []string
	Members   []Member // by rank, with members that joined later
	Hidden    string
	Rows, Key string         // digest of the own training rows, and its key
	Entries   []report.Entry // what others come to see, as far as it is known
}

// Begin records that a run has begun or is resumed, after the agreement if that has changed. It
// returns when this is on disk, which must be before the run's first sum over rows.
func (j *Journal) Begin(s Start) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.view.agreement != s.Agreement || !slices.Equal(j.view.signers, s.Signers) {
		if err := j.note(Line{Event: Agreement, Digest: s.Agreement, Signers: s.Signers}); err != nil {
			return err
		}
	}
	l := Line{Event: Begun, Run: s.Run, Model: s.Model, Members: s.Members, Hidden: s.Hidden, Rows: s.Rows, Key: s.Key, Entries: s.Entries}
	if s.Run == j.view.run {
		l = Line{Event: Resumed, Run: s.Run, Slot: j.view.next, Members: j.joined(s.Run, s.Members)}
	}
	if err := j.note(l); err != nil {
		return err
	}
	return j.flush()
}

// joined returns the members of a run if they are not those in the journal.
func (j *Journal) joined(run string, members []Member) []Member {
	if i := j.view.find(run); i >= 0 && slices.Equal(j.view.runs[i].members, members) {
		return nil
	}
	return members
}

// Next returns the first slot of the run that has no line.
func (j *Journal) Next() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.view.next
}

// Decide records the decision of a slot. The line has the event Decided, and its members, who are
// in the line before if they have changed; amended decisions have none. It is on disk a second
// later if Flush is called at least that often.
func (j *Journal) Decide(l Line) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	in, out := l.Members, l.Missing
	l.Event, l.Members, l.Missing = Decided, nil, nil
	if in != nil && (!slices.Equal(in, j.view.in) || !slices.Equal(out, j.view.out)) {
		if err := j.note(Line{Event: Members, Slot: l.Slot, Round: l.Round, Members: in, Missing: out}); err != nil {
			return err
		}
	}
	if err := j.note(l); err != nil {
		return err
	}
	if j.now().Sub(j.flushed) >= flushEvery {
		return j.flush()
	}
	return nil
}

// End records the end of this process's part in the last run: why, the last round, the chain of all
// decisions, all members, and what others have seen. It returns when this is on disk.
func (j *Journal) End(l Line) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	l.Event, l.Members = Ended, j.joined(l.Run, l.Members)
	if err := j.note(l); err != nil {
		return err
	}
	return j.flush()
}

// Export records a file that was written without noise. It returns when this is on disk.
func (j *Journal) Export(l Line) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	l.Event = Export
	if err := j.note(l); err != nil {
		return err
	}
	return j.flush()
}
