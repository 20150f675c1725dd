package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// The files of a consortium in its folder.
const (
	consortiumFile = "consortium.yaml"
)

// Consortium is a consortium to be set up on this machine.
type Consortium struct {
	Dir       string
	Task      *pipeline.Task
	Data      *dataset.Dataset
	Baselines []string // baselines that each node trains by itself
	Patience  float64  // for all members; 0 means the default
	Memory    string   // for the rows of each member, as given to the flag
	Float32   bool
	Keep      []string // features of all members that look like none
	// Rows returns the settings of a participant's own rows, with absolute paths. It returns
	// nil if they are to be written into the participant's folder.
	Rows func(name string) (*config.Node, error)
}

// Unfinished reports whether the folder of a participant has an unfinished run, and whether it is
// one of the same agreement, apart from addresses.
func (c *Consortium) Unfinished() (unfinished, same bool, err error) {
	for _, p := range c.Data.Participants {
		is, err := hasUnfinished(filepath.Join(c.Dir, p.Name))
		if err != nil {
			return false, false, err
		}
		unfinished = unfinished || is
	}
	if !unfinished {
		return false, false, nil
	}
	was, err := config.ReadConsortium(filepath.Join(c.Dir, consortiumFile))
	if err != nil {
		return true, false, nil //nolint:nilerr // then there is nothing to resume
	}
	members := was.Members
	for i, p := range c.Data.Participants {
		if len(members) != len(c.Data.Participants) || members[i].Name != p.Name {
			return true, false, nil
		}
	}
	agreed, err := config.NewConsortium(c.Task, c.Data.Columns, members)
	if err != nil {
		return true, false, err
	}
	return true, agreed.Same(was), nil
}

// hasUnfinished reports whether a folder has a run that is not over.
func hasUnfinished(dir string) (unfinished bool, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	s, err := store.Open(dir)
	if err != nil {
		return false, err
	}
	st, err := s.Last()
	return err == nil && st != nil && st.Over == "", errors.Join(err, s.Close())
}

// Write sets the consortium up: an agreement that all sign, and a folder per participant with
// an identity, free ports and its rows. Unfinished runs in the folders end.
func (c *Consortium) Write() error {
	names := make([]string, len(c.Data.Participants))
	for i, p := range c.Data.Participants {
		names[i] = p.Name
	}
	members, err := Layout(c.Dir, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := abandon(filepath.Join(c.Dir, name)); err != nil {
			return err
		}
	}
	agreed, err := config.NewConsortium(c.Task, c.Data.Columns, members)
	if err != nil {
		return err
	}
	for key, path := range agreed.Files(c.Task) {
		if err := files.Copy(filepath.Join(c.Dir, key), path); err != nil {
			return err
		}
	}
	file, folders := filepath.Join(c.Dir, consortiumFile), make([]string, len(names))
	for i, name := range names {
		folders[i] = filepath.Join(c.Dir, name)
	}
	if err := agreed.Write(file); err != nil {
		return err
	}
	if _, _, err := roster.Sign(file, folders...); err != nil {
		return err
	}
	for i, p := range c.Data.Participants {
		if err := c.writeNode(p, members[i].Addrs); err != nil {
			return err
		}
	}
	return nil
}

// abandon ends an unfinished run in a folder. A process that resumed it would not meet the others,
// which begin a new run.
func abandon(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	st, err := s.Last()
	if err == nil && st != nil && st.Over == "" {
		err = st.End("another run was begun in its folder")
	}
	return errors.Join(err, s.Close())
}

func (c *Consortium) writeNode(p dataset.Participant, listen []string) error {
	dir := filepath.Join(c.Dir, p.Name)
	n, err := c.Rows(p.Name)
	if err != nil {
		return err
	}
	if n == nil {
		if n, err = writeRows(dir, p); err != nil {
			return err
		}
	}
	n.Version, n.Name, n.Listen, n.Baselines, n.Patience = config.Version, p.Name, listen, c.Baselines, c.Patience
	n.Memory, n.Float32, n.ClassLabels, n.Keep = c.Memory, c.Float32, p.ClassLabels, c.Keep
	n.Consortium = filepath.Join("..", consortiumFile)
	return n.Write(dir)
}

// writeRows writes a participant's rows into its folder.
func writeRows(dir string, p dataset.Participant) (*config.Node, error) {
	file := p.Name + ".csv"
	spec, err := dataset.Write(filepath.Join(dir, file), p)
	return &config.Node{
		Data: []string{file}, Label: spec.Label,
		Where: spec.Where.String(), TestWhere: spec.TestWhere.String(), TimeColumn: spec.Time,
	}, err
}
