package membership

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// A Change is an amendment of the roster as people write it, the same at all members. A change
// that pauses or resumes the run does nothing else.
type Change struct {
	Add       []Member
	Remove    []string // names
	Quorum    *int     // the quorum from then on; nil keeps the present one
	Colluders *int     // the assumed colluders from then on; nil keeps the present number
	Pause     bool     // stops the computation until a change resumes it
	Resume    bool     // ends a pause
}

// checkPause returns an error if the change cannot pause or resume a run with the given
// parameters.
func (c *Change) checkPause(p *consensus.Params, fail func(got, want string) error) error {
	if !c.Pause && !c.Resume {
		return nil
	}
	what := "pause"
	if c.Resume {
		what = "resume"
	}
	switch {
	case c.Pause && c.Resume:
		return fail("both", "pause or resume")
	case len(c.Add)+len(c.Remove) > 0 || c.Quorum != nil || c.Colluders != nil:
		return fail("more", fmt.Sprintf("%s alone in a change", what))
	case c.Pause && p.Paused > 0:
		return fail(fmt.Sprintf("pause after change %d, which has paused the run", p.Paused), "a run that is not paused")
	case c.Resume && p.Paused == 0:
		return fail("resume without an earlier change that pauses the run", "a run that is paused")
	}
	return nil
}

// amendmentsMost bounds the bytes of all amendments in a hello.
const amendmentsMost = 32 << 10

// Founding returns the members that a run begins with, in rank order, and its parameters.
func Founding(members []Member, s consensus.Settings) ([]Member, consensus.Params) {
	founders := slices.SortedFunc(slices.Values(members), func(a, b Member) int {
		return compareEntries(wire.Entry{Name: a.Name, ID: []byte(a.ID)}, wire.Entry{Name: b.Name, ID: []byte(b.ID)})
	})
	p := consensus.Params{Settings: s}
	for _, m := range founders {
		p.Members = append(p.Members, m.Name)
	}
	return founders, p
}

// Amendments converts changes to the amendments of a run. The run has begun with the given
// parameters and with the founders, which are in rank order.
func Amendments(p consensus.Params, founders []Member, changes []Change) ([]*consensus.Amendment, error) {
	members := slices.Clone(founders)
	removed := map[int]bool{}
	var list []*consensus.Amendment
	bytes := 0
	for i, c := range changes {
		fail := func(got, want string) error {
			return &ConfigError{fmt.Sprintf("changes: number %d", i+1), got, want}
		}
		if err := c.checkPause(&p, fail); err != nil {
			return nil, err
		}
		a := &consensus.Amendment{Revision: uint32(i + 1), Quorum: p.Quorum, Colluders: p.Colluders, Pause: c.Pause, Resume: c.Resume}
		if c.Quorum != nil {
			a.Quorum = *c.Quorum
		}
		if c.Colluders != nil {
			a.Colluders = *c.Colluders
		}
		for _, name := range c.Remove {
			rank := rankOf(members, removed, func(m Member) bool { return m.Name == name })
			if rank < 0 {
				return nil, fail(fmt.Sprintf("to remove %q", name), "the name of a member")
			}
			removed[rank] = true
			a.Removed = append(a.Removed, uint32(rank))
		}
		slices.Sort(a.Removed)
		for _, m := range c.Add {
			if err := m.CheckNew("changes"); err != nil {
				return nil, err
			}
			if rankOf(members, nil, func(o Member) bool { return o.ID == m.ID }) >= 0 {
				return nil, fail("to add "+m.ID.String(), "a peer ID that no member has or had: make one with a new folder")
			}
			members = append(members, m)
			a.Added = append(a.Added, consensus.Seat{Name: m.Name, ID: []byte(m.ID), Addrs: append([]string(nil), m.Addrs...)})
		}
		var err error
		if p, err = p.Amend(a); err != nil {
			return nil, &ConfigError{Field: fmt.Sprintf("changes: number %d", i+1), Got: err.Error(), Want: "a change that the roster allows"}
		}
		if bytes += len(a.Encode()); bytes > amendmentsMost {
			return nil, fail(fmt.Sprintf("%d bytes", bytes), fmt.Sprintf("at most %d bytes in all: begin a new run with the present list of members", amendmentsMost))
		}
		list = append(list, a)
	}
	return list, nil
}

// CheckNew returns an error if the member is not valid, since an invalid member would fail at
// all the others. The errors' fields begin with part, the part of the file with the member.
func (m Member) CheckNew(part string) error {
	if err := CheckName(part+": name", m.Name); err != nil {
		return err
	}
	if m.ID.Validate() != nil {
		return &ConfigError{part + ": " + m.Name + ": id", "none", "a peer ID"}
	}
	if _, err := m.ID.ExtractPublicKey(); err != nil {
		return &ConfigError{part + ": " + m.Name + ": id", m.ID.String(), "a peer ID that contains its key, as collabdict id prints it"}
	}
	_, err := m.AddrInfo()
	return err
}

func rankOf(members []Member, removed map[int]bool, is func(Member) bool) int {
	for rank, m := range members {
		if !removed[rank] && is(m) {
			return rank
		}
	}
	return -1
}
