package plants

import "math/rand/v2"

// faultKind is the kind of a sensor's fault.
type faultKind int

const (
	stuck    faultKind = iota // holds one value
	drift                     // the error grows
	offset                    // the error is constant
	unlinked                  // varies as before, but independently of the others
	faultKinds
)

const (
	faulty  = 0.12 // share of test rows with a fault
	episode = 8    // length of a fault in rows
	shifted = 2.2  // size of an offset, and of a drift at its end, in standard deviations of a pattern
)

// A fault affects one sensor for some test rows.
type fault struct {
	kind     faultKind
	sensor   int
	from, to int // rows [from, to)
	sign     float64
	held     float64
}

// plan spreads faults over the test rows, one at a time, with kinds in turn.
func plan(rows, columns int, random *rand.Rand) []fault {
	length := min(episode, max(rows/8, 1))
	n := max(int(faulty*float64(rows))/length, 1)
	if rows < 2 {
		return nil // one row cannot have both classes
	}
	every := rows / n
	faults := make([]fault, n)
	first := random.IntN(int(faultKinds))
	for i := range faults {
		from := i*every + random.IntN(max(every-length, 0)+1)
		faults[i] = fault{
			kind:   faultKind((first + i) % int(faultKinds)),
			sensor: random.IntN(columns),
			from:   from,
			to:     min(from+length, rows),
			sign:   float64(1 - 2*random.IntN(2)),
		}
	}
	return faults
}

// spoil changes row i, which was drawn from p and lies within the fault.
func (f *fault) spoil(row []float64, i int, p *pattern, random *rand.Rand) {
	j := f.sensor
	switch f.kind {
	case stuck:
		if i == f.from { // a typical value of the pattern during which the sensor breaks
			f.held = p.mean[j] + random.NormFloat64()
		}
		row[j] = f.held
	case drift:
		row[j] += f.sign * shifted * (0.5 + 0.5*float64(i-f.from)/float64(episode))
	case offset:
		row[j] += f.sign * shifted
	case unlinked:
		row[j] = p.mean[j] + random.NormFloat64()
	}
}
