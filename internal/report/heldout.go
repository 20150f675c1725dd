package report

import "fmt"

// HeldOut is what a participant's rows tell that stayed out of training.
type HeldOut struct {
	Rows int `json:"rows"`
	// Alone and Together are minus the mean score of these rows by the model learned of the
	// own rows alone, and by the shared one: of mixtures, the mean of ln p. Error is the
	// standard error of the difference. There are none of who has learned alone.
	Alone    Figure `json:"alone,omitzero"`
	Together Figure `json:"together,omitzero"`
	Error    Figure `json:"error,omitzero"`
	// Better is ByAlone or ByTogether, or empty where the difference is within chance.
	Better string `json:"better,omitempty"`
	// Promised is the share of rows that score above the threshold though they are like these,
	// at most, and Measured that of these rows above the threshold that all others give.
	Promised float64 `json:"false_alarms_promised"`
	Measured Figure  `json:"false_alarms_measured"`
}

// What HeldOut.Better says.
const (
	ByAlone    = "alone"
	ByTogether = "together"
)

// Sentence says whether the participant gains by learning together; empty of who has learned
// alone.
func (p Participant) Sentence() string {
	h := p.HeldOut
	if h == nil || !h.Alone.Applies {
		return ""
	}
	s := fmt.Sprintf("on %d held-out rows of its own: alone %s, together %s ± %s per row: ", h.Rows, fixed(h.Alone), fixed(h.Together), fixed(h.Error))
	switch h.Better {
	case ByTogether:
		s += "together is better"
	case ByAlone:
		s += "alone is better: it gains nothing by learning together"
	default:
		s += "no difference beyond chance, so no gain is shown"
	}
	if p.Alone != nil && p.Shared != nil && p.ROCAUC.Defined {
		s += fmt.Sprintf("; ROC-AUC alone %s, together %s, blend %s", fixed(p.Alone.ROCAUC), fixed(p.Shared.ROCAUC), fixed(p.ROCAUC))
	}
	return s
}

func fixed(f Figure) string {
	if !f.Defined {
		return f.String()
	}
	return Fixed(f.Value, 2)
}
