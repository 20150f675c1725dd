package fedgen

import "github.com/collabdict/collabdict"

// later is a group whose rounds are counted after the one round made before.
type later struct{ collabdict.Group }

func (l later) StartRound(number int, parameters [32]byte) {
	l.Group.StartRound(number+1, parameters)
}
