package consensus

// A Record summarises the slots of a run at one member.
type Record struct {
	Setup      int      // slots before the first model round
	Slots      int      // all slots
	Rounds     int      // rounds of the last session
	Difference float64  // largest ‖own − adopted‖₂ / ‖adopted‖₂ of a Sum
	Digest     [32]byte // digest of the last slot in a model round
}

// Add enters a decision.
func (r *Record) Add(d *Decision) {
	r.Slots++
	if d.Kind == Amend {
		return
	}
	if d.Round == 0 {
		r.Setup++
	} else {
		r.Digest = d.Digest
	}
	if d.Cost.Rounds > 0 {
		r.Rounds = d.Cost.Rounds
		r.Difference = max(r.Difference, d.Cost.Difference)
	}
}
