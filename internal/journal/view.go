package journal

import (
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
)

// A view is what follows from the lines so far.
type view struct {
	agreement string   // digest of the last agreement
	signers   []string // those of the last agreement
	run       string   // the last run
	next      uint64   // its first slot without a line
	in        []Member // members of its following totals
	out       []Missing
	runs      []run
	records   []Record // of runs and releases, in order
}

// A run is what a new run is compared with. Its digests are in hexadecimal.
type run struct {
	id        string
	agreement string // digest of its settings
	rows, key string // digest of the own training rows, and its key
	members   []Member
	planned   []report.Entry // what others come to see, as far as known at its start
}

// add adds a line to the view.
func (v *view) add(l Line) {
	switch l.Event {
	case Agreement:
		v.agreement, v.signers = l.Digest, l.Signers
	case Begun:
		v.run, v.next, v.in, v.out = l.Run, 0, nil, nil
		v.begun(l)
	case Resumed:
		v.change(l, false, nil)
	case Members:
		v.in, v.out = l.Members, l.Missing
	case Decided:
		v.next = l.Slot + 1
	case Ended:
		v.change(l, l.Why == AsPlanned, l.Entries)
	case Release:
		v.records = append(v.records, Record{ID: l.Digest, At: second(l.At), Model: l.Model, Release: l.File, Ended: true, Entries: l.Entries})
	}
}

// begun adds a run. A member that has lost its state may begin its part in a run a second time.
func (v *view) begun(l Line) {
	r := run{l.Run, v.agreement, l.Rows, l.Key, l.Members, l.Entries}
	if i := v.find(l.Run); i >= 0 {
		v.runs[i] = r
		v.change(l, false, nil)
		return
	}
	v.runs = append(v.runs, r)
	v.records = append(v.records, Record{ID: l.Run, At: second(l.At), Model: l.Model, Members: namesOf(l.Members), Hidden: l.Hidden, Entries: l.Entries})
}

// change changes the record of a run. Without entries, it has those from its start.
func (v *view) change(l Line, ended bool, entries []report.Entry) {
	i := v.find(l.Run)
	if i < 0 {
		return
	}
	if l.Members != nil {
		v.runs[i].members = l.Members
	}
	if entries == nil {
		entries = v.runs[i].planned
	}
	r := &v.records[slices.IndexFunc(v.records, func(r Record) bool { return r.ID == l.Run })]
	r.Ended, r.Entries, r.Members = ended, entries, namesOf(v.runs[i].members)
}

// find returns the index of a run, -1 if there is none.
func (v *view) find(id string) int {
	return slices.IndexFunc(v.runs, func(r run) bool { return r.id == id })
}

func namesOf(members []Member) (names []string) {
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names
}

// second returns a time as the ledger shows it.
func second(at time.Time) time.Time { return at.UTC().Truncate(time.Second) }
