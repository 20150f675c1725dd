package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// A member that is killed while models are averaged continues with the same model when it is
// started again. Its part in every sum is the same as without the kill, and the model follows from
// the totals.
func TestAWeightedMemberIsKilled(t *testing.T) {
	dir := t.TempDir()
	models := killedAndBack(t, dir, "plant-b", "--model", "bvae", "--rounds", "8", "--epochs", "10", "--latent", "2", "--hidden", "16,8",
		"--weights", "latent", "--weigh-every", "2", "--standardise", "own",
		"--generate", fmt.Sprintf("participants=3,rows=%d,columns=6,patterns=3", manyRows))
	for name, want := range models {
		saved, err := model.ReadFile(filepath.Join(dir, "o", name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if saved.Manifest.Rounds != 8 || !slices.Equal(shared(saved), shared(want)) {
			t.Errorf("%s has another model after %d rounds", name, saved.Manifest.Rounds)
		}
	}
}

// killedAndBack runs three processes, kills one after some rounds and starts it again. It returns
// each participant's model from a run without a kill, computed from the recorded totals.
func killedAndBack(t *testing.T, dir, victim string, args ...string) map[string]*model.Model {
	t.Helper()
	testkit.LongOnly(t)
	t.Parallel()
	up := start(t, dir, append([]string{"up", "--scheme", "exact", "--parity", "--out", "o", "--json"}, args...)...)
	up.until(t, `: round 3/`)
	names := []string{"plant-a", "plant-b", "plant-c"}
	tasks, secrets := secretsOf(t, filepath.Join(dir, "o"), names)
	kill(t, up.cmd.Process.Pid, filepath.Join("o", victim))
	back := start(t, dir, "run", "--dir", filepath.Join("o", victim))
	if code, said := back.end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s\nup said:\n%s", code, said, up.all())
	}
	if code, said := up.end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	log := readLog(t, filepath.Join(dir, "o", "plant-a"))
	sums, models := make([][]float64, len(log)), map[string]*model.Model{}
	for i, c := range tasks {
		group := &recorded{log: log, next: labelSlots, sums: sums}
		want, err := c.Task.Fit(t.Context(), group, c.Data, secrets[i], nil)
		if err != nil || group.next != len(log) {
			t.Fatalf("%s: %v after %d of %d slots", names[i], err, group.next, len(log))
		}
		models[names[i]] = want.Model
	}
	for slot, sum := range sums[labelSlots:] {
		if d := apart(log[labelSlots+slot].total, sum); len(log[labelSlots+slot].members) != 3 || !(d < 1e-6) {
			t.Errorf("slot %d: the total of %d members is %.2g from that of a run without a kill", labelSlots+slot, len(log[labelSlots+slot].members), d)
		}
	}
	return models
}

// recorded is a group whose sums have been decided. It also adds up the vectors of the
// participants.
type recorded struct {
	collabdict.Whole
	log  []slotRecord
	next int
	sums [][]float64
}

func (r *recorded) Membership() collabdict.Membership {
	return collabdict.Membership{Size: 3, Included: true, Steady: true}
}

func (r *recorded) Sum(_ context.Context, s collabdict.Summand) ([]float64, error) {
	x := s.Values
	if r.next == len(r.log) || len(x) != len(r.log[r.next].total) {
		return nil, fmt.Errorf("slot %d of %d: %d values", r.next, len(r.log), len(x))
	}
	if r.sums[r.next] == nil {
		r.sums[r.next] = make([]float64, len(x))
	}
	for i, v := range x {
		r.sums[r.next][i] += v
	}
	r.next++
	return slices.Clone(r.log[r.next-1].total), collabdict.CheckBlocks(x, s.Blocks)
}

func (r *recorded) Gather(context.Context, collabdict.Entry, []byte) ([][]byte, error) {
	return nil, errors.New("a gather in a run of sums")
}

// secretsOf returns the configurations of members, and the sources from which they draw. It works
// only while the run lasts.
func secretsOf(t *testing.T, out string, names []string) (all []participant.Config, secrets []rand.Source) {
	t.Helper()
	for _, name := range names {
		c, err := ofFolder(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join(out, name, "rows.key"))
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, rand.NewChaCha8([32]byte(kept[32:64]))) // after the identity of the run
		all = append(all, c)
	}
	return all, secrets
}
