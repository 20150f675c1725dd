// Package roster reads a consortium's agreement as a node needs it, and checks and adds the
// signatures of its members.
//
// Start reading at [Read].
package roster

import (
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/node"
)

// A Roster is the content of a consortium.yaml and of the files that it names.
type Roster struct {
	File    string
	Columns []string
	Task    *pipeline.Task // complete
	Members []node.Member
	Changes []node.Change
	BeginAt time.Time // earliest start of a run; zero if none is set

	signatures map[string]string
}

// Read reads the file of an agreement. Its errors are of type *config.Error.
func Read(file string) (*Roster, error) {
	agreed, err := config.ReadConsortium(file)
	if err != nil {
		return nil, err
	}
	return complete(file, agreed)
}

// ReadDraft reads the file of an agreement that may lack members.
func ReadDraft(file string) (*Roster, error) {
	agreed, err := config.ReadDraft(file)
	if err != nil {
		return nil, err
	}
	return complete(file, agreed)
}

func complete(file string, agreed *config.Consortium) (r *Roster, err error) {
	r = &Roster{File: file, Columns: agreed.Columns, signatures: agreed.Signatures}
	if r.Task, err = agreed.Task(); err == nil {
		err = r.Task.ReadFiles(filepath.Dir(file))
	}
	if err == nil {
		err = r.Task.Complete()
	}
	if err == nil {
		r.Members, err = Members(agreed.Members)
	}
	if err == nil {
		r.Changes, err = Changes(agreed.Changes)
	}
	if err == nil {
		r.BeginAt, err = agreed.Begins()
	}
	if err != nil {
		return nil, &config.Error{File: file, Err: err, Hint: "correct the file"}
	}
	return r, nil
}

// Members converts members to those of package node.
func Members(members []config.Member) (list []node.Member, err error) {
	for _, m := range members {
		member, err := node.NewMember(m.Name, m.ID, m.Addrs)
		if err != nil {
			return nil, err
		}
		list = append(list, member)
	}
	return list, nil
}

// Changes converts changes of the members to those of package node.
func Changes(changes []config.Change) (list []node.Change, err error) {
	for _, c := range changes {
		add, err := Members(c.Add)
		if err != nil {
			return nil, err
		}
		list = append(list, node.Change{Add: add, Remove: c.Remove, Quorum: c.Quorum, Colluders: c.Colluders, Pause: bool(c.Pause), Resume: bool(c.Resume)})
	}
	return list, nil
}
