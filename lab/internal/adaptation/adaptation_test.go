package adaptation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/lab/internal/studytest"
)

// folder returns a folder of made-up files for both sets. The class of a row determines which of
// its values are larger.
func folder(t *testing.T) string {
	t.Helper()
	const n, side = 240, 8
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	csv := "a,b,c,d,label\n"
	var pixels, labels []byte
	for i := range n {
		class := i % 3
		for j := range 4 {
			v := rng.NormFloat64()
			if j == class {
				v += 3
			}
			csv += fmt.Sprintf("%.3f,", v)
		}
		csv += fmt.Sprintf("%d\n", 2*class)
		labels = append(labels, byte(class))
		for j := range side * side {
			v := byte(rng.IntN(80))
			if j/side == 2*class {
				v += 120
			}
			pixels = append(pixels, v)
		}
	}
	path := func(set, file int) string { return filepath.Join(dir, filepath.FromSlash(sets()[set].files[file])) }
	studytest.WriteZipped(t, path(0, 0), []byte(csv))
	studytest.WriteIDX(t, path(1, 0), pixels, n, side, side)
	studytest.WriteIDX(t, path(1, 1), labels, n)
	return dir
}

// The study on little data gives all tables and figures. A second run reads its cells and gives the
// same tables.
func TestStudy(t *testing.T) {
	testkit.SkipRaced(t)
	data, out := folder(t), t.TempDir()
	s := Study()
	var computed int
	run := func() *study.Lab {
		t.Helper()
		computed = 0
		lab, err := study.Run(t.Context(), s, data, out, true, func(string, ...any) { computed++ })
		if err != nil {
			t.Fatal(err)
		}
		return lab
	}
	s.Run = tiny
	lab := run()
	if computed < 20 || len(lab.Tables) != 4 || len(lab.Figures) != 6 {
		t.Errorf("computed %d cells, %d tables, %d figures", computed, len(lab.Tables), len(lab.Figures))
	}
	for _, f := range lab.Figures {
		if info, err := os.Stat(f); err != nil || info.Size() < 2000 {
			t.Errorf("%s: %v", f, err)
		}
	}
	again := run()
	if computed != 1 || fmt.Sprint(again.Tables) != fmt.Sprint(lab.Tables) {
		t.Errorf("computed %d cells again", computed-1)
	}
	unlike := lab.Tables[1]
	if unlike.Rows[0][2] != "1.000" || !strings.HasPrefix(unlike.Rows[1][2], "0.") {
		t.Errorf("heterogeneity is %v", unlike.Rows)
	}
	for _, row := range lab.Tables[3].Rows {
		if len(row) != 5 || row[1] == "" || row[4] == "" {
			t.Errorf("got %v", row)
		}
	}
}
