package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/internal/ops/web"
)

// Between is the number of normal rows that two anomalies of one event may have between them, unless
// rules say otherwise.
const Between = 3

// Rules say which anomalies count, and when they are an event. The zero value lets each anomaly be one.
type Rules struct {
	// Threshold is the score above which a row is an anomaly, in place of the model's.
	Threshold *float64 `yaml:"threshold"`
	// Anomalies is the number of anomalies among Of successive rows that make an event; 0 means 1.
	Anomalies int `yaml:"anomalies"`
	Of        int `yaml:"of"` // 0 means Anomalies
	// Gap is the number of normal rows that two anomalies of one event may have between them.
	Gap *int `yaml:"gap"`
	// Sensors has rules of single sensors. An anomaly counts if one of its sensors does.
	Sensors map[string]SensorRule `yaml:"sensors"`
	// Maintenance are the times in which no anomaly counts.
	Maintenance []Period `yaml:"maintenance"`
	// Webhook is where events are sent as they begin and end; nil for nowhere.
	Webhook *Webhook `yaml:"webhook"`
}

// A Webhook receives events of a series that has no end.
type Webhook struct {
	URL       string `yaml:"url"`        // of https, or of http on this machine
	TokenFile string `yaml:"token_file"` // file with a token that is sent as Authorization: Bearer; "" for none
}

func (w *Webhook) check() error {
	u, err := url.Parse(w.URL)
	if err != nil || u.Hostname() == "" {
		return errors.New("url: want an address such as https://alarms.example.com/collabdict")
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && web.Local(u.Hostname())) {
		return fmt.Errorf("url: want https, as events depend on rows, got %s to %s", u.Scheme, u.Hostname())
	}
	return nil
}

// A SensorRule says which deviations of a sensor count.
type SensorRule struct {
	Only   string     `yaml:"only"`   // above or below what is expected; "" for both
	Ignore [2]float64 `yaml:"ignore"` // values from one to another, which are no reason; both 0 for none
	Never  bool       `yaml:"never"`  // it never counts
}

// A Period is a time of maintenance: from one time to another, or on a day of each week.
type Period struct {
	Weekday string `yaml:"weekday"` // such as sunday; "" for once
	From    string `yaml:"from"`    // a date and a time, or with a weekday a time such as 06:00
	To      string `yaml:"to"`      // not included

	from, to float64 // in seconds, since 1970 or since midnight
	day      time.Weekday
}

// readRules reads rules from YAML. columns are the sensors of the model.
func readRules(text []byte, columns []string) (*Rules, error) {
	r := &Rules{}
	if err := strict.YAML(bytes.NewReader(text), r); err != nil && !errors.Is(err, io.EOF) { // nothing but comments
		return nil, err
	}
	return r, r.check(columns)
}

// check reports the first rule that cannot be meant.
func (r *Rules) check(columns []string) error {
	if r.Of == 0 {
		r.Of = r.Anomalies
	}
	switch {
	case r.Anomalies < 0 || r.Of < r.Anomalies:
		return fmt.Errorf("anomalies: want at most as many as rows in of, got %d of %d", r.Anomalies, r.Of)
	case r.Gap != nil && *r.Gap < 0:
		return fmt.Errorf("gap: want a number of rows, got %d", *r.Gap)
	case r.Threshold != nil && (math.IsNaN(*r.Threshold) || math.IsInf(*r.Threshold, 0)):
		return fmt.Errorf("threshold: want a number, got %g", *r.Threshold)
	}
	for name, s := range r.Sensors {
		switch {
		case !slices.Contains(columns, name):
			return fmt.Errorf("sensors: the model has no column %q; it has %s", name, strings.Join(columns, ", "))
		case s.Only != "" && s.Only != "above" && s.Only != "below":
			return fmt.Errorf("sensors: %s: only: want above or below, got %q", name, s.Only)
		case !(s.Ignore[0] <= s.Ignore[1]):
			return fmt.Errorf("sensors: %s: ignore: want the smaller value first, got %g and %g", name, s.Ignore[0], s.Ignore[1])
		}
	}
	if r.Webhook != nil {
		if err := r.Webhook.check(); err != nil {
			return fmt.Errorf("webhook: %w", err)
		}
	}
	for i := range r.Maintenance {
		if err := r.Maintenance[i].read(); err != nil {
			return fmt.Errorf("maintenance: period %d: %w", i+1, err)
		}
	}
	return nil
}

func (p *Period) read() error {
	if p.Weekday == "" {
		var clock dataset.Clock
		var ok [2]bool
		p.from, _, ok[0] = clock.Read(p.From)
		p.to, _, ok[1] = clock.Read(p.To)
		if !ok[0] || !ok[1] || !clock.Dated() || !(p.from < p.to) {
			return fmt.Errorf("want two times, the earlier first, such as 2026-11-07 06:00, got %q and %q", p.From, p.To)
		}
		return nil
	}
	p.day = -1
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), p.Weekday) {
			p.day = d
		}
	}
	if p.day < 0 {
		return fmt.Errorf("weekday: want a day such as sunday, got %q", p.Weekday)
	}
	from, bad := time.Parse("15:04", p.From)
	to, worse := time.Parse("15:04", p.To)
	if p.To == "24:00" {
		to, worse = time.Date(0, 1, 2, 0, 0, 0, 0, time.UTC), nil
	}
	if bad != nil || worse != nil || !from.Before(to) {
		return fmt.Errorf("want two times of a day, the earlier first, such as 06:00 and 08:00, got %q and %q", p.From, p.To)
	}
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	p.from, p.to = from.Sub(midnight).Seconds(), to.Sub(midnight).Seconds()
	return nil
}

// holds reports whether a time, in seconds since 1970, is within the period.
func (p *Period) holds(at float64) bool {
	if p.Weekday == "" {
		return at >= p.from && at < p.to
	}
	day := math.Floor(at / 86400)
	of := at - 86400*day
	return time.Weekday((int(day)%7+7+int(time.Thursday))%7) == p.day && of >= p.from && of < p.to
}

// Maintained reports whether no anomaly counts at a time, in seconds since 1970.
func (r *Rules) Maintained(at float64) bool {
	return slices.ContainsFunc(r.Maintenance, func(p Period) bool { return p.holds(at) })
}

// A Joiner joins anomalies, in the order of rows, to events.
type Joiner struct {
	rules  *Rules
	file   string
	last   int   // row of the last anomaly; 0 before the first
	recent []int // the last anomalies, among as many rows as may make an event
	enough bool  // the event has enough anomalies
}

// NewJoiner returns a joiner by rules.
func NewJoiner(r *Rules) *Joiner { return &Joiner{rules: r} }

// Takes reports whether an anomaly in a row of a file would belong to the event that goes on.
func (j *Joiner) Takes(file string, row int) bool {
	gap := Between
	if j.rules.Gap != nil {
		gap = *j.rules.Gap
	}
	return j.last > 0 && j.file == file && row <= j.last+gap+1
}

// Add adds an anomaly. begins reports whether it begins another event, and enough whether that event has
// enough anomalies to count since this one.
func (j *Joiner) Add(file string, row int) (begins, enough bool) {
	if begins = !j.Takes(file, row); begins {
		j.file, j.recent, j.enough = file, nil, false
	}
	j.last, j.recent = row, append(j.recent, row)
	for j.recent[0] <= row-max(1, j.rules.Of) {
		j.recent = j.recent[1:]
	}
	enough = !j.enough && len(j.recent) >= max(1, j.rules.Anomalies)
	j.enough = j.enough || enough
	return begins, enough
}

// excuses reports whether the rules leave out an anomaly whose sensors are known, the guilty ones first.
func (r *Rules) excuses(guilty []Cause) bool {
	if len(r.Sensors) == 0 || len(guilty) == 0 {
		return false
	}
	return !slices.ContainsFunc(guilty, func(c Cause) bool {
		rule, ok := r.Sensors[c.Sensor]
		return !ok || rule.counts(c)
	})
}

// counts reports whether a sensor's deviation counts.
func (s SensorRule) counts(c Cause) bool {
	switch {
	case s.Never:
		return false
	case c.Got == nil:
		return true
	case s.Ignore != [2]float64{} && *c.Got >= s.Ignore[0] && *c.Got <= s.Ignore[1]:
		return false
	case c.Expected == nil || s.Only == "":
		return true
	case s.Only == "above":
		return *c.Got > *c.Expected
	}
	return *c.Got < *c.Expected
}
