package report

import "fmt"

// HeldOut holds figures on a participant's held-out rows.
type HeldOut struct {
	Rows int `json:"rows"` // held-out rows; 0 if there are too few to hold any out
	Order
	// Alone is minus the mean score of these rows by the model of the own rows alone; for
	// mixtures, the mean of ln p. Absent for a participant that trained alone.
	Alone    Figure `json:"alone,omitzero"`
	Together Figure `json:"together,omitzero"` // minus their mean score by the shared model
	Error    Figure `json:"error,omitzero"`    // the standard error of the difference
	Better   string `json:"better,omitempty"`  // alone or together; empty if the difference is within chance
	// Promised is the largest share of rows like these that score above the threshold.
	Promised float64 `json:"false_alarms_promised"`
	// Measured is the share of these rows above the threshold that the others give.
	Measured Figure `json:"false_alarms_measured,omitzero"`
}

// Order is the order of a participant's rows: time if neighbours are alike, otherwise none. It
// is empty without held-out rows.
type Order struct {
	// Order is time if rows are held out in blocks, as neighbours are alike; otherwise none.
	Order   string `json:"order,omitempty"`
	Because string `json:"order_because,omitempty"` // the reason for Order
}

// The values of HeldOut.Better, besides "".
const (
	ByAlone    = "alone"
	ByTogether = "together"
)

// Sentence reports whether the participant gains by learning together, in words. It returns ""
// for a participant that trained alone.
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

// Gains reports in words the number of participants that gain by learning together. It returns
// "" for fewer than two with a result.
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
