package consensus_test

import (
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/attack"
)

// attacked replays a recorded run to a coalition. The coalition computes the residues from the
// frames of its members, and subtracts everything that it knows of them.
func attacked(t *testing.T, r *consensus.Recording, coalition []int) *attack.Recorder {
	t.Helper()
	a := attack.NewRecorder(r.Settings, r.Run, r.Size, coalition)
	a.Show = func(a *attack.Attempt, d *consensus.Decision) {
		if a.Ballot != d.Attempt && len(a.Pads)+len(a.Shares) > 0 {
			t.Errorf("members %v: %d pads and shares of attempt %d, where %d is decided", coalition, len(a.Pads)+len(a.Shares), a.Ballot, d.Attempt)
		}
	}
	for _, e := range r.Events {
		switch {
		case e.Call != nil:
			a.Called(e.Member, e.Slot, *e.Call)
		case e.Decision != nil:
			a.Decided(e.Member, e.Decision, nil)
		default:
			a.Sent(e.Member, e.To, e.Message)
		}
	}
	a.Finish()
	return a
}

// In no recorded run does a coalition of t members recover a vector. A coalition of all but one
// does.
func TestAttacksOnRecordedRuns(t *testing.T) {
	for kind := range consensus.RecordedKinds() {
		for seed := range uint64(8) {
			r := consensus.NewRecording(t, kind, seed, func(*consensus.Recording) {})
			colluders := r.Settings.Rules(r.Size).Colluders
			worked := 0
			for _, c := range consensus.Coalitions(r.Size, r.Size-1) {
				breached := attacked(t, r, c).Breached()
				switch {
				case len(c) <= colluders && breached > 0:
					t.Errorf("%+v, seed %d: members %v have worked out %g of the others' vectors", r.Settings, seed, c, breached)
				case len(c) == r.Size-1 && breached > 0:
					worked++
				}
			}
			if worked < r.Size-1 {
				t.Errorf("%+v, seed %d: only %d of %d coalitions of all but one work", r.Settings, seed, worked, r.Size)
			}
		}
	}
}
