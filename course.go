package collabdict

import "math"

// A course is a noisy objective over the last rounds, all with the same members and the same
// running total.
type course struct {
	of  string // key of the running total
	was []float64
}

// window is the number of rounds from which a rise of a noisy objective is judged.
const window = 10

// settled adds the objective of the last round. It reports whether the rise over recent rounds
// is within chance or within the tolerance.
func (c *course) settled(objective float64, l Learner, g Group, opt Options) bool {
	key := ""
	if of, ok := l.(Cumulative); ok {
		key = of.Running().Key
	}
	if key != c.of || !g.Membership().Steady {
		c.of, c.was = key, nil
	}
	c.was = append(c.was, objective)
	if len(c.was) < window || opt.Tol == 0 && opt.AbsTol == 0 {
		return false
	}
	c.was = c.was[len(c.was)-window:]
	before, deviationBefore := meanAndDeviation(c.was[:window/2])
	now, deviation := meanAndDeviation(c.was[window/2:])
	rise := now - before
	chance := math.Sqrt((deviationBefore*deviationBefore + deviation*deviation) / (window / 2))
	return rise <= math.Max(chance, window/2*math.Max(opt.Tol*math.Abs(now), opt.AbsTol))
}

func meanAndDeviation(of []float64) (mean, deviation float64) {
	for _, v := range of {
		mean += v / float64(len(of))
	}
	for _, v := range of {
		deviation += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(deviation / float64(len(of)-1))
}
