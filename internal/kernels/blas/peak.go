package blas

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// Peak runs about the given number of float64 multiplications and as many additions, fused and
// in registers only, with the instructions of the process. It returns the number of both
// together. No kernel can do more per second on a core.
func Peak(about int) (operations int) {
	chains, run := peakOf(cpu.Active())
	rounds := max(1, about/chains)
	run(rounds)
	return 2 * chains * rounds
}

func peakPortable(rounds int) {
	var s [8]float64
	x := 0.0
	for range rounds {
		s[0] = math.FMA(x, x, s[0])
		s[1] = math.FMA(x, x, s[1])
		s[2] = math.FMA(x, x, s[2])
		s[3] = math.FMA(x, x, s[3])
		s[4] = math.FMA(x, x, s[4])
		s[5] = math.FMA(x, x, s[5])
		s[6] = math.FMA(x, x, s[6])
		s[7] = math.FMA(x, x, s[7])
		x = s[0]
	}
}
