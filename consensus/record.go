package consensus

// Record sums up the slots of a run at one member.
type Record struct {
	Setup      int      // slots before the first model round
	Slots      int      // all slots
	Iterations int      // of the last averaging
	Difference float64  // the largest ‖own − adopted‖₂ / ‖adopted‖₂ of a Sum
	Digest     [32]byte // of the last slot in a model round
}

// Add enters a decided slot of the given round.
func (r *Record) Add(round uint32, o *Outcome) {
	r.Slots++
	if round == 0 {
		r.Setup++
	} else {
		r.Digest = o.Digest
	}
	if o.Total != nil {
		r.Iterations = o.Iterations
		r.Difference = max(r.Difference, o.Difference)
	}
}
