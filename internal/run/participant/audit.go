package participant

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/node"
)

// Audit is a folder's audit log with its state of the last run, so that a process that resumes
// the run continues the log.
type Audit struct {
	*journal.Log
	agreement journal.Record // last agreement in the log
	run       string
	next      uint64            // first slot of the run that is not in the log
	in        []journal.Member  // members of the following totals
	out       []journal.Missing // members that are missing in them
	failed    error
}

// OpenAudit opens the audit log of a folder; now gives the times of its lines. The error about
// a damaged log is an *journal.DamageError.
func OpenAudit(dir string, now func() time.Time) (a *Audit, err error) {
	a = &Audit{}
	a.Log, err = journal.Open(dir, now, a.read)
	return a, err
}

// read updates the state by a line of the log.
func (a *Audit) read(r journal.Record) {
	switch r.Event {
	case journal.Agreement:
		a.agreement = r
	case journal.Begun:
		a.run, a.next, a.in, a.out = r.Run, 0, nil, nil
	case journal.Members:
		a.in, a.out = r.Members, r.Missing
	case journal.Decided:
		a.next = r.Slot + 1
	}
}

// enter appends an event, and updates the state.
func (a *Audit) enter(r journal.Record) error {
	a.read(r)
	return a.Enter(r)
}

// started records that a run has begun or is resumed, after the agreement if that has changed.
// It then records all decisions of the run that are not in the log.
func (a *Audit) started(n *node.Node, model, agreement string, signers []string) error {
	if a.agreement.Digest != agreement || !slices.Equal(a.agreement.Signers, signers) {
		if err := a.enter(journal.Record{Event: journal.Agreement, Digest: agreement, Signers: signers}); err != nil {
			return err
		}
	}
	id := n.RunID()
	run := hex.EncodeToString(id[:])
	event := journal.Record{Event: journal.Resumed, Run: run, Slot: a.next}
	if run != a.run {
		event = journal.Record{Event: journal.Begun, Run: run, Model: model}
		for _, m := range n.Members() {
			event.Members = append(event.Members, journal.Member{Name: m.Name, ID: m.ID.String()})
		}
	}
	if err := a.enter(event); err != nil {
		return err
	}
	if err := a.missed(n); err != nil {
		return err
	}
	return a.Flush()
}

// missed records the decisions of the run that are not in the log.
func (a *Audit) missed(n *node.Node) error {
	names := namesOf(n)
	return n.Decisions(func(d *consensus.Decision) error {
		if d.Slot < a.next {
			return nil
		}
		return a.note(d, names)
	})
}

// decided records a decision, after earlier ones that the learner does not see.
func (a *Audit) decided(n *node.Node, d *consensus.Decision) error {
	switch {
	case a == nil || d.Slot < a.next || a.failed != nil:
	case d.Slot > a.next:
		a.failed = a.missed(n)
	default:
		a.failed = a.note(d, namesOf(n))
	}
	if a == nil {
		return nil
	}
	return a.failed
}

func (a *Audit) note(d *consensus.Decision, names []string) error {
	if d.Kind != consensus.Amend {
		var in []journal.Member
		for _, m := range d.Members {
			in = append(in, journal.Member{Name: names[m]})
		}
		var out []journal.Missing
		for _, m := range d.Missing {
			out = append(out, journal.Missing{Name: names[m.Member], Reason: m.Reason})
		}
		if !slices.Equal(in, a.in) || !slices.Equal(out, a.out) {
			members := journal.Record{Event: journal.Members, Slot: d.Slot, Round: d.Round, Members: in, Missing: out}
			a.read(members)
			if err := a.Note(members); err != nil {
				return err
			}
		}
	}
	r := journal.Record{Event: journal.Decided, Slot: d.Slot, Round: d.Round, Kind: d.Kind.String(), Count: len(d.Members), Digest: hex.EncodeToString(d.Digest[:])}
	if amendment, err := d.Amendment(); err == nil {
		switch {
		case amendment.Pause:
			r.Why = "the members have agreed to pause"
		case amendment.Resume:
			r.Why = "the members have agreed to resume"
		}
	}
	a.read(r)
	return a.Note(r)
}

// ended records the end of this process's part, with the digest of all decisions.
func (a *Audit) ended(ctx context.Context, n *node.Node, err error) error {
	if missed := a.missed(n); missed != nil {
		return missed
	}
	id := n.RunID()
	r := journal.Record{Event: journal.Ended, Run: hex.EncodeToString(id[:]), Why: "finished as planned"}
	switch {
	case err != nil && ctx.Err() != nil:
		r.Why = "stopped by its operator"
	case err != nil:
		r.Why = "failed; the program's log says why"
	}
	if d := n.Answer(); d != nil {
		r.Round, r.Chain = d.Round, hex.EncodeToString(d.Chain[:])
	}
	return a.Enter(r)
}
