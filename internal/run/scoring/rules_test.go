package scoring

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
)

const someRules = `threshold: 7.8
anomalies: 2
of: 3
gap: 0
sensors:
  a: {only: above}
  b: {ignore: [-1, 2.5]}
  c: {never: true}
maintenance:
- {from: 2026-11-07 06:00, to: 2026-11-07 08:00}
- {weekday: Sunday, from: "22:00", to: "24:00"}
`

func TestReadRules(t *testing.T) {
	r, err := readRules([]byte(someRules), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if *r.Threshold != 7.8 || r.Anomalies != 2 || r.Of != 3 || *r.Gap != 0 || len(r.Sensors) != 3 || len(r.Maintenance) != 2 {
		t.Errorf("got %+v", r)
	}
	if r, err = readRules(nil, nil); err != nil || r.Threshold != nil {
		t.Errorf("no rules: got %+v, %v", r, err)
	}
}

func TestRulesThatCannotBeMeant(t *testing.T) {
	for text, want := range map[string]string{
		"anomalis: 2":            "anomalies",
		"anomalies: 3\nof: 2":    "3 of 2",
		"anomalies: -1":          "-1",
		"gap: -1":                "-1",
		"threshold: .nan":        "NaN",
		"webhook: {}":            "url",
		"webhook: {url: alarms}": "url",
		"webhook: {url: 'http://alarms.example.com/x'}":                    "https",
		"webhook: {url: 'file:///etc/passwd'}":                             "url",
		"webhook: {uri: 'https://alarms.example.com'}":                     "uri",
		"sensors: {x: {only: above}}":                                      `"x"`,
		"sensors: {a: {only: over}}":                                       `"over"`,
		"sensors: {a: {ignore: [2,1]}}":                                    "2 and 1",
		"maintenance: [{from: soon, to: 2026-11-07 08:00}]":                "period 1",
		"maintenance: [{from: 2026-11-07 08:00, to: 2026-11-07 08:00}]":    "period 1",
		"maintenance: [{weekday: sonntag, from: '06:00', to: '08:00'}]":    `"sonntag"`,
		"maintenance: [{weekday: sunday, from: '08:00', to: '06:00'}]":     "08:00",
		"maintenance: [{weekday: sunday, from: '2026-11-07', to: '9:00'}]": "2026-11-07",
	} {
		if _, err := readRules([]byte(text), []string{"a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %s", text, err, want)
		}
	}
}

func FuzzReadRules(f *testing.F) {
	f.Add(someRules)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readRules([]byte(text), []string{"a", "b"})
		if err != nil {
			return
		}
		r.Maintained(1e9)
		j := NewJoiner(r)
		for row := 1; row < 100; row += 1 + row%7 {
			j.Add("", row)
		}
	})
}

func TestMaintenance(t *testing.T) {
	r, err := readRules([]byte(someRules), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"2026-11-07 05:59": false, "2026-11-07 06:00": true, "2026-11-07 07:59": true, "2026-11-07 08:00": false,
		"2026-11-08 21:59": false, "2026-11-08 22:00": true, "2026-11-08 23:59": true, "2026-11-09 00:00": false,
		"1969-12-28 22:00": true, "1969-12-27 22:00": false,
	} {
		of, err := time.Parse("2006-01-02 15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Maintained(float64(of.Unix())); got != want {
			t.Errorf("at %s: %t, want %t", at, got, want)
		}
	}
}

func TestRulesOfSensors(t *testing.T) {
	r, err := readRules([]byte(someRules), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	v := func(x float64) *float64 { return &x }
	for i, c := range []struct {
		guilty []Cause
		want   bool
	}{
		{nil, false},
		{[]Cause{{Sensor: "a", Got: v(3), Expected: v(2)}}, false},
		{[]Cause{{Sensor: "a", Got: v(1), Expected: v(2)}}, true},
		{[]Cause{{Sensor: "a", Got: v(1)}}, false},
		{[]Cause{{Sensor: "a"}}, false},
		{[]Cause{{Sensor: "b", Got: v(2.5), Expected: v(9)}}, true},
		{[]Cause{{Sensor: "b", Got: v(2.6), Expected: v(9)}}, false},
		{[]Cause{{Sensor: "c", Got: v(100)}}, true},
		{[]Cause{{Sensor: "c", Got: v(100)}, {Sensor: "d", Got: v(1)}}, false},
		{[]Cause{{Sensor: "c", Got: v(100)}, {Sensor: "b", Got: v(0)}}, true},
	} {
		if got := r.excuses(c.guilty); got != c.want {
			t.Errorf("case %d: excused %t, want %t", i+1, got, c.want)
		}
	}
}

// An event needs enough anomalies among successive rows, and ends after the gap. Watch is called once when
// it has enough, and once when it has ended.
func TestEventsByRules(t *testing.T) {
	m := sensorsOfOneLoad(t, 2, 0.3)
	by := New(m, local.Fixed(9), false)
	gap := 1
	f := NewFinder(by, NewExplainer(m), &Rules{Anomalies: 2, Of: 3, Gap: &gap}, 0, NewPlaces(nil, ""))
	var told []string
	f.Watch = func(e Event, ended bool) {
		told = append(told, map[bool]string{false: "begin ", true: "end "}[ended]+strings.Repeat("x", e.Anomalies))
	}
	const course = "..x...x.x..xx.x...x..x....xxx"
	number := 0
	for _, block := range []string{course[:8], course[8:13], course[13:26], course[26:]} {
		b := dataset.Block{X: mat.NewDense(len(block), 2, nil), Carried: make([][]string, len(block)), Empty: make([]bool, len(block))}
		for i, c := range block {
			number++
			b.Numbers = append(b.Numbers, number)
			if c == 'x' {
				b.X.Set(i, 0, 9)
			}
		}
		r, err := by.score(b)
		if err != nil {
			t.Fatal(err)
		}
		by.judge(r)
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range f.Found().Events {
		got = append(got, course[e.First-1:e.Last])
		if len(e.Sensors) == 0 || math.IsInf(e.Weight, 0) {
			t.Errorf("the event in rows %d to %d has sensors %v", e.First, e.Last, e.Sensors)
		}
	}
	if want := []string{"x.x", "xx.x", "xxx"}; !slices.Equal(got, want) {
		t.Errorf("got events %q, want %q", got, want)
	}
	if want := []string{"begin xx", "end xx", "begin xx", "end xxx", "begin xxx"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if n := f.Found().Anomalies; n != strings.Count(course, "x") {
		t.Errorf("got %d anomalies", n)
	}
}
