package operate

import "github.com/collabdict/collabdict/internal/run/report"

// Outcome is how a run has ended.
type Outcome struct {
	Ended End    `json:"ended"`         // planned, stopped or failed
	Why   string `json:"why,omitempty"` // the error, or why this member is not in the last sum
	// Members were in the last sum, of All; 0 if unknown.
	Members   int  `json:"members,omitempty"`
	All       int  `json:"all,omitempty"`       // as members
	Rounds    int  `json:"rounds"`              // completed ones
	Converged bool `json:"converged,omitempty"` // whether training stopped by itself
	// LastGain is the share of the last round in the gain of the objective in the second half of the rounds; absent
	// if the rounds are few, or the objective goes up and down.
	LastGain report.Figure `json:"last_gain,omitzero"`
	Settled  bool          `json:"settled,omitempty"` // whether more rounds would change little, by the objective
	// Folder has the model of a member; absent if there is none.
	Folder string `json:"folder,omitempty"`
}

// End is the way in which a run has ended.
type End string

// The ways.
const (
	AsPlanned End = "planned"
	Stopped   End = "stopped" // by its operator
	Failed    End = "failed"
)
