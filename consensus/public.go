package consensus

import "github.com/collabdict/collabdict/chunking"

// What everybody who takes part in a run knows of it stands in this file, for
// those who ask what can be worked out from it.

// Arithmetic returns what vectors are made of in the settings' scheme.
func (s Settings) Arithmetic() chunking.Arithmetic { return s.withDefaults().arithmetic() }

// Lanes returns the sessions that a sum takes, and how many of their totals give
// the sum.
func (s Settings) Lanes() (lanes, threshold int) { return s.lanes(), s.threshold() }

// RoundsFor returns the rounds of a session of vectors of so many values.
func (p *Plan) RoundsFor(values int) int {
	if p.Laplacian != nil {
		return p.Rounds()
	}
	words := values + 1 // the check
	if p.settings.arithmetic() == chunking.Ring128 {
		words *= 2
	}
	return p.Session(words).Rounds()
}

// Labels returns the members of a view in the order of the vertices of the
// topology: a permutation that follows from all that was decided before the slot,
// which chain covers, so also from the nonce that nobody chose alone.
func Labels(run, chain [32]byte, slot uint64, ballot uint32, lane int, members []int) []int {
	h := newHashing("labels", run)
	h.Write(chain[:])
	h.number(slot)
	h.number(uint64(ballot))
	h.number(uint64(lane))
	labels := make([]int, 0, len(members))
	for _, i := range choose(h.sum(), len(members), len(members)) {
		labels = append(labels, members[i])
	}
	return labels
}
