package launch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/ops/operate"
)

func TestLayoutGivesEachMemberAFolderAndPorts(t *testing.T) {
	dir := t.TempDir()
	members, err := Layout(dir, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.ID] || seen[m.Addrs[0]] || len(m.Addrs) != 2 || !strings.Contains(m.Addrs[1], "/quic-v1") {
			t.Errorf("member %+v", m)
		}
		seen[m.ID], seen[m.Addrs[0]] = true, true
		info, err := os.Stat(filepath.Join(dir, m.Name, "identity.key"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("identity of %s: %v, %v", m.Name, info, err)
		}
	}
	again, err := Layout(dir, []string{"a", "b", "c"})
	if err != nil || again[0].ID != members[0].ID {
		t.Errorf("a second layout has other identities: %v, %v", again, err)
	}
}

func TestChildrenFailInTheirOwnWords(t *testing.T) {
	if childError("a", nil, nil) != nil {
		t.Error("an error without one")
	}
	end := exec.Command("sh", "-c", "exit 3").Run()
	var e *ChildError
	told := `{"status":{"round":2}}` + "\n" + `{"error":{"code":"data","message":"a.csv:3: no","hint":"fix it","file":"a.csv","line":3}}` + "\nno JSON"
	round := 0
	said := listen(strings.NewReader(told), func(s *operate.Status) { round = s.Round })
	if round != 2 {
		t.Errorf("a state of round %d", round)
	}
	want := Failure{Code: "data", Message: "a.csv:3: no", Hint: "fix it", File: "a.csv", Line: 3}
	if err := childError("a", end, said); !errors.As(err, &e) || e.Exit != 3 || e.Name != "a" || !reflect.DeepEqual(e.Failure, want) {
		t.Errorf("got %+v", e)
	}
	end = exec.Command("sh", "-c", "kill -9 $$").Run()
	if err := childError("a", end, nil); !errors.As(err, &e) || !e.Killed || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %+v", e)
	}
}
