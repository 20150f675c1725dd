package task

import (
	"fmt"

	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
)

// showsComponents says whether members show components of their own rows without noise.
func (t Task) showsComponents() bool {
	shows := t.Model == model.FedGen || t.Model == model.FedGEM || t.Model == model.DEM && t.Start == KFed
	return shows && t.Privacy.Epsilon == 0
}

// LeastRows is the fewest rows that a component or cluster may be of which is shown; 0 if
// none are, or if noise hides rows.
func (t Task) LeastRows() int {
	switch {
	case !t.showsComponents():
		return 0
	case t.MinRows == 0:
		return privacy.MinRows
	}
	return t.MinRows
}

// checkMinRows reports a bound that cannot be, or that nothing would come of.
func (t Task) checkMinRows() error {
	switch {
	case t.MinRows == 0:
		return nil
	case t.MinRows < 0:
		return wrong("min-rows", "want at least 1, got %d", t.MinRows)
	case t.Privacy.Epsilon != 0:
		return wrong("min-rows", "want none with epsilon, since noise hides rows and how many a component is of, got %d", t.MinRows)
	case !t.showsComponents():
		return wrong("min-rows", "the start %s shows no clusters", t.Start)
	}
	return nil
}

// CheckRows reports a participant of fewer rows than a component may be of. What the
// others show gives away their sums over rows; with these, a sum over all leaves that of
// its own rows, even if it shows nothing else.
func (t Task) CheckRows(p dataset.Participant) error {
	if n, _ := p.Train.Dims(); n < t.LeastRows() {
		return &Error{
			"min-rows", fmt.Sprintf("want at least %d training rows of each participant, got %d of %s", t.LeastRows(), n, p.Name),
			"leave it out (--split ...,min=ROWS), give it more rows, or agree on fewer, which may show single rows",
		}
	}
	return nil
}

// ofRows adds to what is shown of how many rows each is at least.
func (t Task) ofRows(shown, each string) string {
	if least := t.LeastRows(); least > 1 {
		return fmt.Sprintf("%s; %s of at least %d rows", shown, each, least)
	}
	return shown
}

// fewWarnings tell that own components were merged, if any were.
func (t Task) fewWarnings(few int) []string {
	if few == 0 {
		return nil
	}
	return []string{fmt.Sprintf("privacy: own components of fewer than %d rows (%d) were merged into others before they were shown, so that the shared model does not tell them apart: take fewer --components, or give more rows", t.LeastRows(), few)}
}
