package participant

import (
	"context"
	"encoding/hex"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// sumsToCome stands in the ledger for the sums of a run that has begun.
const sumsToCome = "sums; the ledger has the details when the run has ended"

// record enters a run in the journal of the folder.
type record struct {
	*journal.Journal
	node   *node.Node
	failed error // of an earlier entry
}

// begin records that the run has begun or is resumed, before its first sum over rows. It then
// records all its decisions that are not in the journal.
func (r *record) begin(c Config, rows, key string) error {
	agreement := c.Node.Agreement.ID()
	members := membersOf(r.node)
	entries := c.ledger(r.node).Entries(c.Task.PlannedDisclosures(r.node))
	err := r.Begin(journal.Start{
		Run: r.run(), Model: c.Task.Kind.Name, Agreement: hex.EncodeToString(agreement[:]), Signers: c.Signers, Members: members,
		Hidden: pipeline.Protection(c.Task.Settings, len(members)).Hidden(), Rows: rows, Key: key,
		Entries: append(entries, report.Entry{
			Kind: report.TotalEntry, What: sumsToCome, SeenBy: report.AllMembers, Rounds: &[2]int{0, c.Task.Traits().Rounds},
		}),
	})
	if err != nil {
		return err
	}
	if err := r.missed(); err != nil {
		return err
	}
	return r.Flush()
}

func (r *record) run() string {
	id := r.node.RunID()
	return hex.EncodeToString(id[:])
}

// missed records the decisions of the run that are not in the journal.
func (r *record) missed() error {
	names := namesOf(r.node)
	return r.node.Decisions(func(d *consensus.Decision) error {
		if d.Slot < r.Next() {
			return nil
		}
		return r.Decide(lineOf(d, names))
	})
}

// decided records a decision, after earlier ones that the learner does not see.
func (r *record) decided(d *consensus.Decision) error {
	switch next := r.Next(); {
	case d.Slot < next || r.failed != nil:
	case d.Slot > next:
		r.failed = r.missed()
	default:
		r.failed = r.Decide(lineOf(d, namesOf(r.node)))
	}
	return r.failed
}

// lineOf returns the line about a decision.
func lineOf(d *consensus.Decision, names []string) journal.Line {
	l := journal.Line{Slot: d.Slot, Round: d.Round, Kind: d.Kind.String(), Count: len(d.Members), Digest: hex.EncodeToString(d.Digest[:])}
	if d.Kind != consensus.Amend {
		for _, m := range d.Members {
			l.Members = append(l.Members, journal.Member{Name: names[m]})
		}
		for _, m := range d.Missing {
			l.Missing = append(l.Missing, journal.Missing{Name: names[m.Member], Reason: m.Reason})
		}
	}
	if amendment, err := d.Amendment(); err == nil {
		switch {
		case amendment.Pause:
			l.Why = "the members have agreed to pause"
		case amendment.Resume:
			l.Why = "the members have agreed to resume"
		}
	}
	return l
}

// end records the end of this process's part, with what others have seen, if that is known, and the
// digest of all decisions. Members may have joined.
func (r *record) end(ctx context.Context, entries []report.Entry, err error) error {
	if missed := r.missed(); missed != nil {
		return missed
	}
	l := journal.Line{Run: r.run(), Why: journal.AsPlanned, Members: membersOf(r.node), Entries: entries}
	switch {
	case err != nil && ctx.Err() != nil:
		l.Why = journal.Stopped
	case err != nil:
		l.Why = journal.Failed
	}
	if d := r.node.Answer(); d != nil {
		l.Round, l.Chain = d.Round, hex.EncodeToString(d.Chain[:])
	}
	return r.End(l)
}

func membersOf(n *node.Node) (all []journal.Member) {
	for _, m := range n.Members() {
		all = append(all, journal.Member{Name: m.Name, ID: m.ID.String()})
	}
	return all
}

func namesOf(n *node.Node) (names []string) {
	for _, m := range n.Members() {
		names = append(names, m.Name)
	}
	return names
}
