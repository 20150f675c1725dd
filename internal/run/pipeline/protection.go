package pipeline

import (
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
	"github.com/collabdict/collabdict/internal/run/report"
)

// Protection describes the protection of a view of the given size against the number of
// colluders in the settings; without protection, against a third of the others.
func Protection(s consensus.Settings, size int) report.Protection {
	t := s.Rules(size).Colluders
	if t == 0 {
		t = max(1, (size-1)/3)
	}
	return ProtectionAgainst(s, size, t)
}

// ProtectionAgainst is Protection for a given number of colluders.
//
// The prediction for chunks uses only the chunk graph, as if colluders recovered all residues.
// For vectors spread over several sessions, and for vectors in the clear, it uses what the
// colluders recover from one session. The iterations of a Laplacian session reveal everything.
// In a session of few rounds, the rank of their observations decides how much they recover.
func ProtectionAgainst(s consensus.Settings, size, colluders int) report.Protection {
	p := report.Protection{Mode: string(s.Protect), Colluders: colluders}
	lanes, threshold := s.Lanes()
	breach := 1.0
	switch {
	case s.Protect == chunking.Chunks:
		fanout := chunking.Fanout(size, s.Chunks)
		p.Chunks = fanout + 1
		breach = chunking.BreachProbability(size, fanout, colluders)
		if r := s.Rules(size); size > consensus.SmallRoster {
			breach = chunking.NeighboursBreach(size, 2*fanout, colluders)
			if r.Shares > 0 {
				pad := chunking.PadBreach(size, colluders, r.Holders(size), r.Shares)
				p.PadBreachPredicted = &pad
			}
		}
	default:
		if lanes > 1 {
			p.Chunks = lanes
		}
		if s.Protect == chunking.Shamir {
			p.Threshold = threshold
		}
		breach = chunking.LanesBreach(exposed(s, size, colluders), threshold, lanes)
	}
	p.BreachPredicted = &breach
	return p
}

// Collusions returns the probability that colluders recover another given member's vector, for the
// assumed number of them and for a few others, up to all other members of a view of the given size.
func Collusions(s consensus.Settings, size int) (list []report.Collusion) {
	others := size - 1
	numbers := []int{1, 2, 3, Protection(s, size).Colluders, others / 2, others}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if n >= 1 && n <= others {
			list = append(list, report.Collusion{Others: n, Breach: *ProtectionAgainst(s, size, n).BreachPredicted})
		}
	}
	return list
}

const (
	// exposureUpTo is the largest view for which the exposure of a session is found by trying.
	exposureUpTo  = 128
	exposureDraws = 64
)

// exposed returns the probability that colluders recover another member's vector in one
// session. Above exposureUpTo members, it is the probability that a colluder meets the member
// in the first round: their share of all pairs is about what they learn with any plan.
func exposed(s consensus.Settings, size, colluders int) float64 {
	switch {
	case colluders >= size-1:
		return 1
	case s.Arithmetic() == chunking.Float:
		return 1
	case size > exposureUpTo:
		return float64(colluders) / float64(size-1)
	}
	plan, err := consensus.NewPlans(s).For(size)
	if err != nil {
		return 1
	}
	q, _ := exposure.Probability(plan.Session(1), s.Arithmetic(), colluders, exposureDraws, rand.New(rand.NewPCG(uint64(size), uint64(colluders))))
	return q
}
