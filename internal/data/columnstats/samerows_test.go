package columnstats

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
)

// carrying is a group with the given number of counted members.
type carrying struct {
	collabdict.Solo
	members  int
	rounding float64
}

func (c *carrying) Membership() collabdict.Membership {
	return collabdict.Membership{Counted: c.members, Rounding: c.rounding}
}

// Check accepts a total only if it rests on the same rows, or also on those of newly counted
// members. The totals have two components of one column: the counts, the first and second moments,
// and another value.
func TestTotalsAreOverTheSameRows(t *testing.T) {
	b := Bounds{Rows: 128, TotalRows: 384, RMS: []float64{2}, members: 3}
	blocks := AppendBlock(b.Moments(2, true), 1, 1000)
	type call struct {
		members  int
		n, first float64
	}
	for name, c := range map[string]struct {
		noise    float64
		rounding float64
		calls    []call
		want     string // part of the error at the last call
	}{
		"the same rows":                    {0, 0, []call{{3, 300, 7}, {3, 300, 7}}, ""},
		"floating point":                   {0, 0, []call{{3, 300.00001, 7.00001}, {3, 300, 7}}, ""},
		"fewer later":                      {0, 0, []call{{3, 300, 7}, {3, 299, 7}}, "members count 299 rows together, but 300 before"},
		"more later":                       {0, 0, []call{{3, 300, 7}, {3, 360, 7}}, "members count 360 rows together, but 300 before"},
		"other rows later":                 {0, 0, []call{{3, 300, 7}, {3, 300, 9}}, "sum 2 was 7, and is 9"},
		"as much as rounding makes":        {0, 0.001, []call{{3, 300, 7}, {3, 300.7, 7}}, ""},
		"more than rounding makes":         {0, 0.001, []call{{3, 300, 7}, {3, 301, 7}}, "members count 301"},
		"newcomers":                        {0, 0, []call{{3, 300, 7}, {5, 550, -300}}, ""},
		"newcomers of nothing":             {0, 0, []call{{3, 300, 7}, {5, 300, 7}}, ""},
		"newcomers of fewer than nothing":  {0, 0, []call{{3, 300, 7}, {5, 299, 7}}, "members count 299"},
		"more than newcomers can have":     {0, 0, []call{{3, 300, 7}, {5, 557, 7}}, "557 rows together, but 300 before 2 of them were counted for the first time, each with fewer than 128"},
		"other rows than newcomers can":    {0, 0, []call{{3, 300, 7}, {4, 400, 300}}, "sum 2 was 7, and is 300"},
		"after newcomers":                  {0, 0, []call{{5, 550, 7}, {5, 551, 7}}, "members count 551 rows together, but 550 before"},
		"no start":                         {0, 0, []call{{3, 380, 7}, {3, 380, 7}}, ""},
		"no start, more than published":    {0, 0, []call{{3, 390, 7}}, "members have sent 390 rows together, but had fewer than 384 at the start"},
		"no start, and members came later": {0, 0, []call{{4, 390, 7}}, ""},
		"nobody is counted":                {0, 0, []call{{0, 0, 0}, {3, 300, 7}}, ""},
		"as much as noise makes":           {0.2, 0, []call{{3, 300, 7}, {3, 300, 8.2}}, ""},
		"more than noise makes":            {0.2, 0, []call{{3, 300, 7}, {3, 300, 10}}, "sum 2 was 7, and is 10"},
		"rows have no noise":               {0.2, 0, []call{{3, 300, 7}, {3, 301, 7}}, "members count 301"},
	} {
		g := &carrying{rounding: c.rounding}
		s := NewSameRows(g, b, c.noise)
		for i, at := range c.calls {
			g.members = at.members
			err := s.Check(at.n, 2, []float64{at.n - 100, 100, at.first + 50, -50, 20, 30, 123 * float64(i)}, blocks)
			last := i == len(c.calls)-1
			if bad := last && c.want != ""; bad && (err == nil || !strings.Contains(err.Error(), c.want)) || !bad && err != nil {
				t.Errorf("%s: total %d: %v, want %q", name, i+1, err, c.want)
			}
		}
	}
	if err := NewSameRows(collabdict.Solo{}, b, 0).Check(0, 2, nil, blocks); err != nil {
		t.Errorf("a group whose members are always the same: %v", err)
	}
}
