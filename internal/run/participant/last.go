package participant

import (
	"errors"
	"fmt"

	"github.com/collabdict/collabdict/consensus"
)

// LastRun describes the end of the last run of a folder in which no process runs.
func LastRun(dir string) (string, error) {
	log, readable := logIn(dir)
	if !readable {
		return "it has had no run", nil
	}
	j, err := log.Last()
	if err != nil || j == nil {
		return "it has had no run", errors.Join(err, log.Close())
	}
	round := 0
	err = j.Each(func(d *consensus.Decision) error {
		round = max(round, int(d.Round))
		return nil
	})
	line := fmt.Sprintf("its last run, %x of %d members, ", j.ID[:8], len(j.Members))
	if j.Over == "" {
		line += fmt.Sprintf("has not ended: round %d was decided", round)
	} else {
		line += fmt.Sprintf("ended after round %d: %s", round, j.Over)
	}
	return line, errors.Join(err, log.Close())
}
