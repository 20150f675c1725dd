package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/node"
)

// followEvery is the interval at which the agreement is checked for changes of the members.
const followEvery = 2 * time.Second

// follow passes changes of the members in the agreement on to the node, until the returned
// function is called.
func (p *progress) follow(n *node.Node, f *follower) (stop func()) {
	if f.file == "" {
		return func() {}
	}
	f.roster = n.Roster()
	return every(followEvery, func(time.Time) {
		if line := f.news(n.Roster()); line != "" {
			p.line(line)
		}
		if line := f.wanted.news(n.Status()); line != "" {
			p.line(line)
		}
		if !f.changed() {
			return
		}
		line, err := f.tell(n)
		if err != nil {
			line = "warning: the agreement has changed, but its changes are rejected: " + err.Error()
		}
		if line != f.told {
			p.line(line)
			f.told = line
		}
	})
}

// follower watches the agreement of a running node, and the changes made from it.
type follower struct {
	file   string
	size   int64
	wrote  time.Time
	roster []node.Member
	told   string
	wanted wanted
}

// news returns a line about the members that have joined or left since its last call.
func (f *follower) news(now []node.Member) string {
	in := func(list []node.Member, m node.Member) bool {
		return slices.ContainsFunc(list, func(o node.Member) bool { return o.ID == m.ID })
	}
	var parts []string
	for _, m := range now {
		if !in(f.roster, m) {
			parts = append(parts, m.Name+" joined")
		}
	}
	for _, m := range f.roster {
		if !in(now, m) {
			parts = append(parts, m.Name+" left")
		}
	}
	f.roster = now
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("the members have changed: %s; %d now", strings.Join(parts, ", "), len(now))
}

// changed reports whether the file has changed since the last call. A missing file is about to
// be replaced.
func (f *follower) changed() bool {
	info, err := os.Stat(f.file)
	if err != nil || info.Size() == f.size && info.ModTime().Equal(f.wrote) {
		return false
	}
	f.size, f.wrote = info.Size(), info.ModTime()
	return true
}

// tell passes the changes in the file on to a node.
func (f *follower) tell(n *node.Node) (line string, err error) {
	agreed, err := config.ReadConsortium(f.file)
	if err != nil {
		return "", err
	}
	changes, err := roster.Changes(agreed.Changes)
	if err == nil {
		err = n.Change(changes)
	}
	if err != nil {
		return "", &config.Error{File: f.file, Msg: err.Error(), Hint: "correct the file"}
	}
	if decided := n.Changes(); len(changes) <= decided {
		return "all changes in the agreement are made already", nil
	}
	last, what := changes[len(changes)-1], "changes the members"
	if last.Pause || last.Resume {
		what = "has a change"
	}
	return fmt.Sprintf("the agreement %s: %s; it takes effect between two rounds when %d members have it", what, describeChange(last), n.Status().Quorum), nil
}

// describeChange lists the members that join and leave, or says what happens to the run.
func describeChange(c node.Change) string {
	var parts []string
	switch {
	case c.Pause:
		return "the run pauses"
	case c.Resume:
		return "the run resumes"
	}
	for _, m := range c.Add {
		parts = append(parts, m.Name+" joins")
	}
	for _, name := range c.Remove {
		parts = append(parts, name+" leaves")
	}
	if parts == nil {
		return "other rules"
	}
	return strings.Join(parts, ", ")
}

// wanted tracks the printed lines about members that want other changes than this one.
type wanted struct{ seen, told string }

// news returns a line about members that want different changes, once for each situation. The
// situation must last for two looks: operators write the same change one after the other, and
// members learn of a decided change at different times.
func (w *wanted) news(s node.Status) string {
	line := otherWishes(s)
	stands := line == w.seen
	w.seen = line
	if !stands || line == w.told {
		return ""
	}
	w.told = line
	return line
}

// otherWishes describes the changes that other members want and this one does not, "" if there
// are none.
func otherWishes(s node.Status) string {
	own := slices.IndexFunc(s.Wanted, func(w node.Wanted) bool { return w.Own })
	var parts []string
	for i, w := range s.Wanted {
		if i != own {
			parts = append(parts, strings.Join(w.Names, ", "))
		}
	}
	switch {
	case parts == nil:
		return ""
	case own >= 0:
		return fmt.Sprintf("members want different changes: %s the one in this agreement, %s; %d must want the same: compare the files",
			strings.Join(s.Wanted[own].Names, ", "), others(parts), s.Quorum)
	}
	return fmt.Sprintf("members want a change that this agreement does not have: %s; %d must want the same", strings.Join(parts, "; another one: "), s.Quorum)
}

// others joins groups of members that each want another change.
func others(groups []string) string {
	for i := range groups {
		groups[i] += " another one"
	}
	return strings.Join(groups, ", ")
}
