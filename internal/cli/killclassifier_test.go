package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// A member that is killed and started again gets the weights of all. It also gets the same private
// conditions as without the kill, although no sum carries them.
func TestAClassifierIsKilled(t *testing.T) {
	testkit.SkipRaced(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"plant-a", "plant-b", "plant-c"} {
		text, rng := "x,y,class\n", rand.New(rand.NewPCG(1, uint64(i)))
		for range manyRows / 8 * 3 {
			x, y, class := rng.NormFloat64(), rng.NormFloat64(), 0
			if x > float64(i)-1 {
				class = 1
			}
			text += fmt.Sprintf("%.4f,%.4f,%d\n", x, y, class)
		}
		if err := os.WriteFile(filepath.Join(dir, "data", name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	models := killedAndBack(t, dir, "plant-b", "--model", "cgau", "--rounds", "10", "--hidden", "64,64", "--batch", "8", "--local-steps", fmt.Sprint(manyRows/64*3),
		"--rate", "0.02", "--data", "data", "--label", "class")
	for name, want := range models {
		saved, err := model.ReadFile(filepath.Join(dir, "o", name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := saved.ReadOwnFile(filepath.Join(dir, "o", name, model.OwnFile)); err != nil {
			t.Fatal(err)
		}
		got, wanted := saved, want
		if saved.Manifest.Rounds != 10 || got.WeightsDigest() != wanted.WeightsDigest() {
			t.Errorf("%s has other weights after %d rounds", name, saved.Manifest.Rounds)
		}
		if conditions := got.Conditions(); !slices.Equal(conditions, wanted.Conditions()) || slices.Max(conditions) == 0 {
			t.Errorf("%s has other conditions", name)
		}
	}
}
