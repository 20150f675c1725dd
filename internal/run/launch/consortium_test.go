package launch

import (
	"path/filepath"
	"testing"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/roster"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// A member that dropped out of an earlier run in the same folder begins the new run with the
// others.
func TestANewRunInAnOldFolder(t *testing.T) {
	c := Consortium{
		Task: pipelinetest.Task(t, "ggm"),
		Dir:  t.TempDir(), Data: &dataset.Dataset{Columns: []string{"x"}, Participants: []dataset.Participant{{Name: "a"}, {Name: "b"}, {Name: "c"}}},
		Rows: func(string) (*config.Node, error) { return &config.Node{}, nil },
	}
	last := func(begin bool) *store.RunState {
		t.Helper()
		s, err := store.Open(filepath.Join(c.Dir, "b"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if begin {
			if _, err := s.Begin(store.Run{ID: [32]byte{1}}); err != nil {
				t.Fatal(err)
			}
		}
		st, err := s.Last()
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	unfinished := func(want, wantSame bool) {
		t.Helper()
		if got, same, err := c.Unfinished(); err != nil || got != want || same != wantSame {
			t.Errorf("unfinished %t, of the same agreement %t, %v", got, same, err)
		}
	}
	unfinished(false, false)
	if st := last(true); st == nil || st.Over != "" {
		t.Fatalf("state %+v", st)
	}
	unfinished(true, true)
	task := c.Task
	c.Task = pipelinetest.Task(t, "ggm", "components=7")
	unfinished(true, false)
	c.Task, c.Data.Participants[2].Name = task, "d"
	unfinished(true, false)
	c.Data.Participants[2].Name = "c"
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	if st := last(false); st == nil || st.Over == "" {
		t.Errorf("the process would continue the old run: %+v", st)
	}
	unfinished(false, false)
	r, err := roster.Read(filepath.Join(c.Dir, consortiumFile))
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		t.Errorf("not all have signed: %v", err)
	}
}
