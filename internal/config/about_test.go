package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// fieldsOf lists the names that the fields of a struct have in a file.
func fieldsOf(v any) (names []string) {
	for f := range reflect.TypeOf(v).Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// A new node.yaml explains each field, and can be read.
func TestNewNodeFiles(t *testing.T) {
	n := &Node{Version: Version, Name: "plant-a", Consortium: "consortium.yaml", Listen: []string{"/ip4/127.0.0.1/tcp/4001"}, Data: []string{"../rows: 1.csv"}, Label: "true"}
	dir := t.TempDir()
	if err := n.WriteNew(dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, NodeFile))
	if err != nil {
		t.Fatal(err)
	}
	var about []string
	for _, a := range aboutNode {
		about = append(about, a.field)
	}
	if fields := fieldsOf(Node{}); !reflect.DeepEqual(about, fields) {
		t.Errorf("aboutNode has %q, a Node %q", about, fields)
	}
	read, err := ReadNode(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "../rows: 1.csv"); read.Data[0] != want || read.Label != "true" || read.Name != n.Name {
		t.Errorf("got %+v of\n%s", read, b)
	}
	if err := n.WriteNew(dir); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("over a file: %v", err)
	}

	// Each example can be read in place of its comment.
	if err := decode(NodeFile, uncommented(b), &Node{}); err != nil {
		t.Errorf("%v:\n%s", err, uncommented(b))
	}
}

// uncommented returns a file with its examples as fields.
func uncommented(b []byte) []byte {
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		if before, after, ok := strings.Cut(line, "#"); ok && strings.TrimSpace(before) == "" && after != "" && after[0] != ' ' {
			lines[i] = before + after
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// A new agreement explains each field and option, and contains the task from which it was made.
// Edits keep its comments.
func TestNewAgreements(t *testing.T) {
	for _, k := range algorithms.All() {
		task := pipelinetest.Task(t, k.Name)
		c, err := NewConsortium(task, []string{"temp", "flow: 2"}, []Member{{Name: "plant-a", ID: "x", Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "consortium.yaml")
		if err := c.WriteNew(path, task); err != nil {
			t.Fatal(err)
		}
		if err := PutMembers(path, []Member{{Name: "plant-b", ID: "y"}, {Name: "plant-a", ID: "z"}, {Name: "plant-c", ID: "v"}}); err != nil {
			t.Fatal(err)
		}
		quorum := 3
		for _, change := range []Change{{Remove: []string{"plant-b"}}, {Add: []Member{{Name: "plant-e", ID: "w"}}, Quorum: &quorum}} {
			if err := AppendChange(path, change); err != nil {
				t.Fatal(err)
			}
		}
		if err := AddSignatures(path, map[string]string{"plant-a": "AQ=="}); err != nil {
			t.Fatal(err)
		}
		got, err := ReadConsortium(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Members) != 3 || got.Members[0].ID != "z" || len(got.Members[0].Addrs) != 0 || len(got.Changes) != 2 || got.Changes[1].Add[0].Name != "plant-e" || *got.Changes[1].Quorum != 3 {
			t.Errorf("%s: got %+v", k.Name, got)
		}
		of, err := got.Task()
		if err != nil || of.Complete() != nil || !reflect.DeepEqual(of.Fields(got.Columns), task.Fields(c.Columns)) || of.Settings != task.Settings {
			t.Errorf("%s: another task, %v", k.Name, err)
		}
		written, err := c.commented(path, task)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(written)) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") && !strings.Contains(string(b), strings.TrimSpace(line)) {
				t.Errorf("%s: the comment %q is lost:\n%s", k.Name, line, b)
			}
		}
		for _, o := range append(append(task.Options[:0:0], task.Options...), append(task.Shared, task.Consensus...)...) {
			if !strings.Contains(string(written), o.Key()+":") && o.Applies() {
				t.Errorf("%s: nothing about %s", k.Name, o.Name)
			}
		}
	}
	var about []string
	for _, a := range aboutConsortium {
		about = append(about, a.field)
	}
	for _, f := range fieldsOf(Consortium{}) {
		if f != "signatures" && !strings.Contains(" "+strings.Join(about, " ")+" ", " "+f+" ") {
			t.Errorf("nothing about %s", f)
		}
	}
}

// An agreement on a range has both its ends.
func TestNewAgreementsOnRanges(t *testing.T) {
	task := pipelinetest.Task(t, algorithms.Default().Name, "components=3-10")
	c, err := NewConsortium(task, []string{"x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.commented("c.yaml", task)
	if err != nil || !strings.Contains(string(b), "\n  components: 3\n") || !strings.Contains(string(b), "\n  most_components: 10\n") {
		t.Errorf("%v: %s", err, b)
	}
}
