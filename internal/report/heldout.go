package report

import "fmt"

// HeldOut is what a participant's rows tell that stayed out of training.
type HeldOut struct {
	Rows int `json:"rows"`
	Order
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
	Measured Figure  `json:"false_alarms_measured,omitzero"`
}

// Order says in which order a participant's rows are: time if neighbours are alike, else none.
// It is empty if none are held out.
type Order struct {
	Order   string `json:"order,omitempty"`
	Because string `json:"order_because,omitempty"`
}

// What HeldOut.Better says.
const (
	ByAlone    = "alone"
	ByTogether = "together"
)

// Sentence reports whether the participant gains by learning together; empty of who has learned
// alone.
func (p Participant) Sentence() string {
	h := p.HeldOut
	if h == nil || !h.Alone.Applies {
		return ""
	}
	digits := 2
	for at := h.Error.Value; at > 0 && at < 0.095 && digits < 6; at *= 10 { // two digits of the error
		digits++
	}
	s := fmt.Sprintf("on %d held-out rows of its own: alone %s, together %s ± %s per row: ", h.Rows, fixed(h.Alone, digits), fixed(h.Together, digits), fixed(h.Error, digits))
	switch h.Better {
	case ByTogether:
		s += "together is better"
	case ByAlone:
		s += "alone is better: it gains nothing by learning together"
	default:
		s += "no difference beyond chance, so no gain is shown"
	}
	if p.Alone != nil && p.Shared != nil && p.ROCAUC.Defined {
		s += "; " + aucs(p.Alone, p.Shared, p.ROCAUC)
	}
	return s
}

// Gains says how many participants gain by learning together, of those that can be told;
// empty of fewer than two.
func (r *Run) Gains() string {
	better, of := map[string]int{}, 0
	for _, p := range r.Participants {
		if p.Sentence() != "" {
			better[p.HeldOut.Better]++
			of++
		}
	}
	if of < 2 {
		return ""
	}
	s := fmt.Sprintf("of %d participants, together is better for %d and alone for %d; for %d no difference is shown", of, better[ByTogether], better[ByAlone], better[""])
	if r.Alone != nil && r.Shared != nil && r.ROCAUC.Defined {
		s += "; mean " + aucs(r.Alone, r.Shared, r.ROCAUC)
	}
	return s
}

func aucs(alone, shared *Scores, blend Figure) string {
	return fmt.Sprintf("ROC-AUC own model %s, shared model %s, blend %s", fixed(alone.ROCAUC, 2), fixed(shared.ROCAUC, 2), fixed(blend, 2))
}

func fixed(f Figure, digits int) string {
	if !f.Defined {
		return f.String()
	}
	return Fixed(f.Value, digits)
}
