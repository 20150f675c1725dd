package participant

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/auditlog"
	"github.com/collabdict/collabdict/node"
)

// Audit is a folder's audit log with its state of the last run, so that a process that resumes
// the run continues the log.
type Audit struct {
	*auditlog.Log
	agreement auditlog.Record // last agreement in the log
	run       string
	next      uint64             // first slot of the run that is not in the log
	in        []auditlog.Member  // members of the following totals
	out       []auditlog.Missing // members that are missing in them
	failed    error
}

// OpenAudit opens the audit log of a folder; now gives the times of its lines. The error about
// a damaged log is an *auditlog.DamageError.
func OpenAudit(dir string, now func() time.Time) (a *Audit, err error) {
	a = &Audit{}
	a.Log, err = auditlog.Open(dir, now, a.read)
	return a, err
}

// read updates the state by a line of the log.
func (a *Audit) read(r auditlog.Record) {
	switch r.Event {
	case auditlog.Agreement:
		a.agreement = r
	case auditlog.Begun:
		a.run, a.next, a.in, a.out = r.Run, 0, nil, nil
	case auditlog.Members:
		a.in, a.out = r.Members, r.Missing
	case auditlog.Decided:
		a.next = r.Slot + 1
	}
}

// enter appends an event, and updates the state.
func (a *Audit) enter(r auditlog.Record) error {
	a.read(r)
	return a.Enter(r)
}

// started records that a run has begun or is resumed, after the agreement if that has changed.
// It then records all decisions of the run that are not in the log.
func (a *Audit) started(n *node.Node, model, agreement string, signers []string) error {
	if a.agreement.Digest != agreement || !slices.Equal(a.agreement.Signers, signers) {
		if err := a.enter(auditlog.Record{Event: auditlog.Agreement, Digest: agreement, Signers: signers}); err != nil {
			return err
		}
	}
	id := n.RunID()
	run := hex.EncodeToString(id[:])
	event := auditlog.Record{Event: auditlog.Resumed, Run: run, Slot: a.next}
	if run != a.run {
		event = auditlog.Record{Event: auditlog.Begun, Run: run, Model: model}
		for _, m := range n.Members() {
			event.Members = append(event.Members, auditlog.Member{Name: m.Name, ID: m.ID.String()})
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
		var in []auditlog.Member
		for _, m := range d.Members {
			in = append(in, auditlog.Member{Name: names[m]})
		}
		var out []auditlog.Missing
		for _, m := range d.Missing {
			out = append(out, auditlog.Missing{Name: names[m.Member], Reason: m.Reason})
		}
		if !slices.Equal(in, a.in) || !slices.Equal(out, a.out) {
			members := auditlog.Record{Event: auditlog.Members, Slot: d.Slot, Round: d.Round, Members: in, Missing: out}
			a.read(members)
			if err := a.Note(members); err != nil {
				return err
			}
		}
	}
	r := auditlog.Record{Event: auditlog.Decided, Slot: d.Slot, Round: d.Round, Kind: d.Kind.String(), Count: len(d.Members), Digest: hex.EncodeToString(d.Digest[:])}
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
	r := auditlog.Record{Event: auditlog.Ended, Run: hex.EncodeToString(id[:]), Why: "finished as planned"}
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
