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
