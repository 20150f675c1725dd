package journal

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/collabdict/collabdict/internal/run/report"
)

// Started is a run that begins: its members by rank, and the notes that they have published. A
// note is nil or empty if its member publishes none.
type Started struct {
	ID        [32]byte
	Agreement string   // digest of the settings
	Self      int      // rank of this participant; newcomers have one too
	Members   []Member // members at the beginning of the run
	Notes     [][]byte
	// Enough is the number of simultaneous changes that hide each of them: two more than the
	// colluders.
	Enough int
}

// Compare returns how the run differs from the earlier one that most members name. It returns
// nil if that reveals nothing: there is no difference, or enough changes. Members without a
// note count as changed or unchanged, whichever reveals something.
func (p *Past) Compare(s Started) (*report.PastRun, error) {
	notes, err := s.notes()
	if err != nil {
		return nil, err
	}
	run := mostNamed(notes)
	if run == "" {
		return nil, nil
	}
	d := &report.PastRun{Run: run, Enough: s.Enough}
	if past := p.find(run); past != nil {
		s.among(d, past, notes)
	} else {
		s.outside(d, notes)
	}
	if d.Most < 1 || d.Least >= s.Enough {
		return nil, nil
	}
	return d, nil
}

// notes decodes the notes. A lost member has none, and one that runs another program may have
// an empty one.
func (s Started) notes() ([]*note, error) {
	notes := make([]*note, len(s.Notes))
	for i, b := range s.Notes {
		if len(b) == 0 {
			continue
		}
		n, err := decodeNote(b)
		if err == nil && n.run == hex.EncodeToString(s.ID[:]) {
			err = errors.New("want a note about an earlier run, got one about this run")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Members[i].Name, err)
		}
		notes[i] = &n
	}
	return notes, nil
}

// mostNamed returns the run that most members name, of several the one with the first identity;
// "" if none is named. All members get the same result.
func mostNamed(notes []*note) string {
	votes := map[string]int{}
	for _, n := range notes {
		if n != nil && n.past {
			votes[n.run]++
		}
	}
	runs := slices.SortedFunc(maps.Keys(votes), func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b))
	})
	if len(runs) == 0 {
		return ""
	}
	return runs[0]
}

// names reports whether a note is about the given run.
func (n *note) names(run string) bool { return n != nil && n.past && n.run == run }

// among compares with a run whose members this folder knows. A member is the same if it has the
// same peer ID, or the same name: a new folder gives it another ID.
func (s Started) among(d *report.PastRun, past *run, notes []*note) {
	d.OtherSettings = past.agreement != s.Agreement
	here := map[string]bool{}
	for i, m := range s.Members {
		was := slices.IndexFunc(past.members, func(p Member) bool { return p.ID == m.ID })
		if was < 0 {
			was = slices.IndexFunc(past.members, func(p Member) bool { return p.Name == m.Name })
		}
		if was < 0 {
			d.Joined = append(d.Joined, m.Name)
			continue
		}
		here[past.members[was].ID] = true
		switch {
		case !notes[i].names(past.id):
			d.Unknown = append(d.Unknown, m.Name)
		case notes[i].changed:
			d.Changed = append(d.Changed, m.Name)
		}
	}
	for _, p := range past.members {
		if !here[p.ID] {
			d.Left = append(d.Left, p.Name)
		}
	}
	d.Least = len(d.Joined) + len(d.Left) + len(d.Changed)
	d.Most = d.Least + len(d.Unknown)
}

// outside compares with a run that this participant was not in. It knows only the number of its
// members, and which members name it. Members that name another run, or are lost, may have been
// in it.
func (s Started) outside(d *report.PastRun, notes []*note) {
	were, size := 0, 0
	for i, n := range notes {
		name := s.Members[i].Name
		switch {
		case n.names(d.Run):
			were++
			if n.changed {
				d.Changed = append(d.Changed, name)
			}
			if size == 0 || n.size < size {
				size = n.size
			}
		case n == nil || n.past && i != s.Self:
			d.Unknown = append(d.Unknown, name)
		default:
			d.Joined = append(d.Joined, name)
		}
	}
	missing := max(0, size-were)
	d.Unnamed = max(0, missing-len(d.Unknown))
	d.Most = len(d.Joined) + len(d.Changed) + len(d.Unknown) + missing
	d.Least = len(d.Joined) + len(d.Changed) + d.Unnamed + max(0, len(d.Unknown)-missing)
}
