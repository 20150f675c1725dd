package participant

import (
	"encoding/hex"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// compare returns how the run differs from an earlier one if that reveals something. It is called
// before the first sum over rows.
func (c Config) compare(n *node.Node, past *journal.Past) (*report.PastRun, error) {
	known, tells := c.Task.ConservedInRuns()
	if !tells || c.Task.Settings.Protect == chunking.None { // otherwise each vector is visible anyway
		return nil, nil
	}
	members, notes, agreement := membersOf(n), n.Published(), c.Node.Agreement.ID()
	differs, err := past.Compare(journal.Started{
		ID: n.RunID(), Agreement: hex.EncodeToString(agreement[:]), Self: n.Self(), Members: members[:len(notes)], Notes: notes,
		Enough: c.Task.Settings.Rules(len(members)).Colluders + 2,
	})
	if differs != nil {
		differs.Known = known
	}
	return differs, err
}
