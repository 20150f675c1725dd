package dpem

// The forms of covariance matrices that totals can estimate.
const (
	Full   = "full"   // any matrices
	Factor = "factor" // those of the start, except in directions that stand out of the noise
	Tied   = "tied"   // one matrix for all components
	Diag   = "diag"   // diagonal matrices
)

// The rounds.
const (
	centreRounds  = 6
	beforeCentres = 3
	// LeastRounds includes one round of EM.
	LeastRounds = beforeCentres + centreRounds + 1
	// DefaultRounds has three.
	DefaultRounds = LeastRounds + 2
)

// weights returns the share of each round in the loss. Each round of EM gets twice the share of
// the one before.
func weights(rounds int) []float64 {
	out := []float64{meansShare, deviationsShare, covarianceShare}
	for range centreRounds {
		out = append(out, centresShare/centreRounds)
	}
	first, sum := len(out), 0.0
	for len(out) < rounds {
		w := 1.0
		if len(out) > first {
			w = 2 * out[len(out)-1]
		}
		out = append(out, w)
		sum += w
	}
	for i := first; i < rounds; i++ {
		out[i] *= (1 - meansShare - deviationsShare - covarianceShare - centresShare) / sum
	}
	return out
}

const (
	meansShare      = 0.02
	deviationsShare = 0.03
	covarianceShare = 0.1
	centresShare    = 0.15
)
