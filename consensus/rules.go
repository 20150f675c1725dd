package consensus

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
)

// Rules are the numbers that decide what is safe in a roster.
type Rules struct {
	Size      int // n, members of the roster
	Quorum    int // k, equal votes that decide; 2k > n, so that two quorums meet
	Colluders int // t, members that together may learn nothing
	Least     int // members of a view: at least the quorum, and t+2, so that a total less the colluders' own hides someone
	Shares    int // T, shares that open a pad; 0 without shares
	Sealed    bool
}

// Rules returns the rules of the settings for a roster of the given size.
func (s Settings) Rules(size int) Rules {
	r := Rules{Size: size, Quorum: s.Quorum, Colluders: s.Colluders}
	if r.Quorum == 0 {
		r.Quorum = size/2 + 1
	}
	if s.Protect == chunking.None {
		r.Least = r.Quorum
		return r
	}
	r.Sealed = true
	if r.Colluders == 0 {
		r.Colluders = max(1, (size-1)/3)
	}
	r.Least = max(r.Quorum, r.Colluders+2)
	if s.Recover != Wait {
		r.Shares = r.Colluders + 1
	}
	return r
}

func (s Settings) validateRules(size int) error {
	r := s.Rules(size)
	switch {
	case 2*r.Quorum <= size:
		return fmt.Errorf("quorum: want more than half of %d members, got %d: two halves would decide two sums", size, r.Quorum)
	case r.Quorum > size:
		return fmt.Errorf("quorum: want at most the %d members, got %d", size, r.Quorum)
	case s.Protect == chunking.None && s.Colluders != 0:
		return fmt.Errorf("colluders: want 0 with protection %q, got %d", s.Protect, s.Colluders)
	case r.Colluders < 0 || s.Protect != chunking.None && r.Colluders > size-2:
		return fmt.Errorf("colluders: want 1 to %d, two less than the members, got %d", size-2, r.Colluders)
	}
	return nil
}

// owner returns whose ballot it is; ballot 0 is nobody's.
func (r Rules) owner(ballot uint32) int { return int(ballot) % r.Size }

// next returns a member's first ballot above the given one.
func (r Rules) next(member int, above uint32) uint32 {
	b := above + 1
	return b + uint32((member-r.owner(b)+r.Size)%r.Size)
}
