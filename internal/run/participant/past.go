package participant

import (
	"encoding/hex"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/journal/pastruns"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// past compares a run with earlier ones of the folder.
type past struct {
	history         *pastruns.History
	rows, agreement string // digests
}

// started records the run, and returns how it differs from an earlier one if that reveals
// something. It is called before the first sum over rows.
func (p *past) started(n *node.Node, t *pipeline.Task) (*report.PastRun, error) {
	id, members := n.RunID(), membersOf(n)
	notes := n.Published()
	var differs *report.PastRun
	if known, tells := t.ConservedInRuns(); tells && t.Settings.Protect != chunking.None { // otherwise each vector is visible anyway
		var err error
		differs, err = p.history.Compare(pastruns.Started{
			ID: id, Agreement: p.agreement, Self: n.Self(), Members: members[:len(notes)], Notes: notes,
			Enough: t.Settings.Rules(len(members)).Colluders + 2,
		})
		if err != nil {
			return nil, err
		}
		if differs != nil {
			differs.Known = known
		}
	}
	return differs, p.enter(n)
}

// enter records the run with all its members, present and past.
func (p *past) enter(n *node.Node) error {
	id := n.RunID()
	return p.history.Enter(pastruns.Run{ID: hex.EncodeToString(id[:]), Agreement: p.agreement, Rows: p.rows, Members: membersOf(n)})
}

func membersOf(n *node.Node) (all []pastruns.Member) {
	for _, m := range n.Members() {
		all = append(all, pastruns.Member{Name: m.Name, ID: m.ID.String()})
	}
	return all
}
