package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// Values far from all others are named before they train, whether they are in one file or in several, and
// whether rows stay in their files.
func TestSentinels(t *testing.T) {
	for _, c := range []struct {
		value string
		times int // in each file
		want  bool
	}{
		{"-9999", 3, true},
		{"32767", 1, true},
		{"-999.25", 1, true},
		{"-12345", 3, true},
		{"-12345", 1, true},
		{"850", 1, true},
		{"6553.5", 1, true},
		{"1e50", 1, true},
		{"0", 3, false},
		{"230", 1, false},
		{"60", 3, false},
	} {
		var b strings.Builder
		b.WriteString("temp,flow\n")
		for i := range 50 {
			if i < c.times {
				fmt.Fprintf(&b, "%s,%d\n", c.value, i%5)
				continue
			}
			fmt.Fprintf(&b, "%d.5,%d\n", 40+i%20, i%5)
		}
		folder(t, "a.csv", b.String(), "b.csv.gz", zipped(t, b.String()))
		for _, memory := range []int64{0, 1} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv", "b.csv.gz"}, Memory: memory, Folder: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if found := len(d.Sentinels) == 1 && strings.Contains(d.Sentinels[0], fmt.Sprintf("%s occurs %d times, first in line 2:", strings.Replace(c.value, "1e50", "1e+50", 1), 2*c.times)); found != c.want || !c.want && d.Sentinels != nil {
				t.Errorf("%s: got %q", c.value, d.Sentinels)
			}
		}
	}
}

// Far values at both ends do not hide each other, and the place of one has its file.
func TestFarValuesAtBothEnds(t *testing.T) {
	text := func(first string) string { return "temp\n" + first + strings.Repeat("40.5\n41\n43\n60\n55\n", 10) }
	folder(t, "a.csv", text("41\n"), "b.csv", text("850\n-900\n900\n"))
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv", "b.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-900 occurs once, in line 3 of b.csv", "850 occurs once, in line 2 of b.csv", "900 occurs once, in line 4 of b.csv"} {
		if len(d.Sentinels) != 1 || !strings.Contains(d.Sentinels[0], want) {
			t.Errorf("got %q, want %s", d.Sentinels, want)
		}
	}
}
