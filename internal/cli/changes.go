package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/node"
)

// followEvery is the interval at which the agreement is checked for changes of the members.
const followEvery = 2 * time.Second

// follow passes changes of the members in the agreement on to the node, until the returned
// function is called.
func (m *monitor) follow(n *node.Node, f *watchedFile) (stop func()) {
	if f.path == "" {
		return func() {}
	}
	return every(followEvery, func() {
		if !f.changed() {
			return
		}
		line, err := f.pass(n)
		if err != nil {
			line = "warning: the agreement has changed, but its changes are rejected: " + err.Error()
		}
		m.change(func(s *operate.Status) { s.Agreement = line })
	})
}

// watchedFile is the agreement of a running node, which its operator may change.
type watchedFile struct {
	path  string
	size  int64
	wrote time.Time
}

// changed reports whether the file has changed since the last call. A missing file is about to
// be replaced.
func (f *watchedFile) changed() bool {
	info, err := os.Stat(f.path)
	if err != nil || info.Size() == f.size && info.ModTime().Equal(f.wrote) {
		return false
	}
	f.size, f.wrote = info.Size(), info.ModTime()
	return true
}

// pass passes the changes in the file on to a node.
func (f *watchedFile) pass(n *node.Node) (line string, err error) {
	agreed, err := config.ReadConsortium(f.path)
	if err != nil {
		return "", err
	}
	changes, err := roster.Changes(agreed.Changes)
	if err == nil {
		err = n.Change(changes)
	}
	if err != nil {
		return "", &config.Error{File: f.path, Err: err, Hint: "correct the file"}
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
