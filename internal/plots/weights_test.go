package plots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/run/report"
)

func TestWeights(t *testing.T) {
	var many []report.Weighting
	for i := range 120 {
		many = append(many, report.Weighting{Name: fmt.Sprintf("p%03d", i), Weight: float64(i) / 7140})
	}
	with := func(d ...float64) (all []report.Weighting) {
		for i, v := range d {
			all = append(all, report.Weighting{Name: fmt.Sprintf("plant & %d", i), Weight: 1 / float64(len(d)), Discrepancy: report.Of(v)})
		}
		return all
	}
	zero := []report.Weighting{{Name: "a", Discrepancy: report.OfOK(0, false), ByRows: true}, {Name: "b", Weight: 1, ByRows: true}}
	for name, c := range map[string]struct {
		all         []report.Weighting
		bars        int // including the background of the figure
		discrepancy bool
		subtitle    string
	}{
		"two":  {with(0.1, 3), 5, true, "weights in means of models"},
		"sign": {with(-0.2, -0.1, 0.3), 7, true, "weights in means of models"},
		"one":  {with(0), 3, true, "weights in means of models"},
		"many": {many, 51, false, "weights in means of models; the 50 largest of 120"},
		"rows": {zero, 3, false, "weights in means of models; by rows, because the rule leaves no weights"},
	} {
		f := weights(c.all)
		svg, _, err := f.svg()
		again, _, _ := weights(c.all).svg()
		if err != nil || !bytes.Equal(svg, again) || wellFormed(svg) != nil || bytes.Contains(svg, []byte("NaN")) {
			t.Errorf("%s: %v, %v, or another figure when it is drawn again", name, err, wellFormed(svg))
		}
		text := string(svg)
		if strings.Contains(text, ">discrepancy<") != c.discrepancy || strings.Count(text, "fill:#") < c.bars || f.subtitle != c.subtitle {
			t.Errorf("%s: %q, discrepancy %t, %d filled", name, f.subtitle, !c.discrepancy, strings.Count(text, "fill:#"))
		}
	}
	if svg, _, _ := weights(many).svg(); !strings.Contains(string(svg), ">p119<") || strings.Contains(string(svg), ">p069<") {
		t.Error("those drawn are not those of the largest weights")
	}
}
