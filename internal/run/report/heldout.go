package report

// HeldOut holds figures on a participant's held-out rows.
type HeldOut struct {
	Rows int `json:"rows"` // held-out rows; 0 if there are too few to hold any out
	Order
	// Verdict reports whether scores find more with the others. Absent for a participant that trained
	// alone.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Alone is minus the mean score of these rows by the model of the own rows alone; for
	// mixtures, the mean of ln p. Absent for a participant that trained alone.
	Alone    Figure `json:"alone,omitzero"`
	Together Figure `json:"together,omitzero"` // minus their mean score by the shared model
	Error    Figure `json:"error,omitzero"`    // the standard error of the difference
	// Likelier is alone or together: that model describes these rows better. It is empty if the
	// difference is within chance. In the blend, the shared model weighs more unless Likelier is alone.
	Likelier string `json:"likelier,omitempty"`
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
