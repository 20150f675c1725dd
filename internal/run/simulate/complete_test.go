package simulate

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// lost holds rows that can no longer be read once they are gone.
type lost struct {
	collabdict.Rows
	gone *atomic.Bool
}

var errGone = errors.New("the rows are gone")

func (l lost) ReadRows(x []float64, from int) error {
	if l.gone.Load() {
		return errGone
	}
	return l.Rows.ReadRows(x, from)
}

// A participant's thresholds follow when the network has ended. If its rows cannot be read then, the error names it.
func TestRowsLostAfterTraining(t *testing.T) {
	k := pipelinetest.Task(t, "ggm", "rounds=1", "components=2")
	parts := plants.Generate(plants.Spec{Participants: 4, Rows: 40, Columns: 3, Patterns: 2, TestRows: 1}, 1)
	gone := new(atomic.Bool)
	parts[2].Train = lost{parts[2].Train, gone}
	run, err := Simulate(t.Context(), k, parts, func(Progress) { gone.Store(true) })
	if !errors.Is(err, errGone) || !strings.HasPrefix(err.Error(), parts[2].Name+": threshold: ") {
		t.Errorf("got %v, want an error of %s", err, parts[2].Name)
	}
	if run == nil || run.Course == nil || !run.Course.Failed {
		t.Error("want the course of the failed run")
	}
}
