package launch

import (
	"errors"
	"io"
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
	ConsortiumFile = "consortium.yaml"
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
	// Abandoned lists the participants whose folders had an unfinished run. Write sets it.
	Abandoned []string
}

// Write sets the consortium up: an agreement that all sign, and a folder per participant with
// an identity, free ports and its rows. Unfinished runs in the folders are not resumed.
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
		unfinished, err := abandon(filepath.Join(c.Dir, name))
		if err != nil {
			return err
		}
		if unfinished {
			c.Abandoned = append(c.Abandoned, name)
		}
	}
	agreed, err := config.NewConsortium(c.Task, c.Data.Columns, members)
	if err != nil {
		return err
	}
	for key, path := range agreed.Files(c.Task) {
		if err := CopyFile(filepath.Join(c.Dir, key), path); err != nil {
			return err
		}
	}
	file, folders := filepath.Join(c.Dir, ConsortiumFile), make([]string, len(names))
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

// abandon ends an unfinished run in a folder, and reports whether there was one. A process that
// resumed it would not meet the others, which begin a new run.
func abandon(dir string) (unfinished bool, err error) {
	s, err := store.Open(dir)
	if err != nil {
		return false, err
	}
	st, err := s.Last()
	if unfinished = err == nil && st != nil && st.Over == ""; unfinished {
		err = st.End("another run was begun in its folder")
	}
	return unfinished, errors.Join(err, s.Close())
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
	n.Consortium = filepath.Join("..", ConsortiumFile)
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

// CopyFile makes a private copy: only its owner can read it.
func CopyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return files.Write(to, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
