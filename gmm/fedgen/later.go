package fedgen

import "github.com/collabdict/collabdict"

// later is a group whose rounds are counted after the one round made before.
type later struct{ collabdict.Group }

var _ collabdict.Absentee = later{}

func (l later) StartRound(number int) {
	if s, ok := l.Group.(collabdict.RoundStarter); ok {
		s.StartRound(number + 1)
	}
}

func (l later) Compare(parameters [32]byte) {
	if c, ok := l.Group.(collabdict.Comparer); ok {
		c.Compare(parameters)
	}
}

func (l later) TakeMissed() (total []float64, ok bool) {
	if a, may := l.Group.(collabdict.Absentee); may {
		return a.TakeMissed()
	}
	return nil, false
}

func (l later) Included() bool {
	a, may := l.Group.(collabdict.Absentee)
	return !may || a.Included()
}

func (l later) Steady() bool {
	a, may := l.Group.(collabdict.Absentee)
	return !may || a.Steady()
}
