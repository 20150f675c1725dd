package participant

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
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

// LastRun describes the end of the last run of a folder in which no process runs.
func LastRun(dir string) (string, error) {
	log, readable := logIn(dir)
	if !readable {
		return "it has had no run", nil
	}
	st, err := log.Last()
	if err != nil || st == nil {
		return "it has had no run", errors.Join(err, log.Close())
	}
	round := 0
	err = st.Each(func(d *consensus.Decision) error {
		round = max(round, int(d.Round))
		return nil
	})
	line := fmt.Sprintf("its last run, %x of %d members, ", st.ID[:8], len(st.Members))
	if st.Over == "" {
		line += fmt.Sprintf("has not ended: round %d was decided", round)
	} else {
		line += fmt.Sprintf("ended after round %d: %s", round, st.Over)
	}
	return line, errors.Join(err, log.Close())
}
