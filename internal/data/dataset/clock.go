package dataset

import (
	"cmp"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Clock reads the times of a column, which have one form.
type Clock struct {
	DayFirst bool   // 3/4/2026 is in April
	Serial   bool   // numbers are days since 1899-12-30, as in Excel; see [SerialDates]
	Unix     bool   // numbers are seconds or milliseconds since 1970; see [UnixTime]
	form     string // of the last cell, "" for none
	zone     string // end of that form, "" if it has no zone
}

// Hours returns the place of the time of day among the other cells of a row whose time is a date alone; -1 if
// there is none, or if the time is none of these.
func Hours(time string, others []string) int {
	if !DateOnly(time) {
		return -1
	}
	return slices.IndexFunc(others, timeOfDay)
}

// Joined returns the time of a date and a time of day.
func Joined(date, hours string) string { return date + " " + hours }

// DateOnly reports whether a cell is a date without a time of day.
func DateOnly(cell string) bool {
	var c Clock
	_, _, ok := c.Read(cell)
	return ok && c.form != "" && !strings.Contains(c.form, "04")
}

// timeOfDay reports whether a cell is a time of day without a date, such as 08:30.
func timeOfDay(cell string) bool {
	return slices.ContainsFunc(hours, func(form string) bool {
		_, err := time.Parse(form, cell)
		return err == nil && strings.Contains(cell, ":")
	})
}

// hours and zones are what may follow a date, in the layouts of package time. Seconds may have
// a fraction.
var (
	hours = []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "150405"}
	zones = []string{"", "Z07:00", " Z07:00", "-0700", " -0700", "-07", " UTC", " GMT"}
)

// Read returns a number, or a time in seconds since 1970. zoned reports whether the cell says how
// far its time is from UTC; without that, it is read as in UTC.
func (c *Clock) Read(cell string) (seconds float64, zoned, ok bool) {
	if v, ok := parse(cell); ok && c.Serial {
		return math.Round((v-serialOf1970)*secondsPerDay*1000) / 1000, false, v-v == 0
	} else if ok && c.Unix && math.Abs(v) >= milliseconds {
		return v / 1000, true, v-v == 0
	} else if ok {
		return v, true, v-v == 0
	}
	t, err := time.Parse(c.form, cell)
	if err != nil || c.form == "" {
		if t, ok = c.learn(cell); !ok {
			return 0, false, false
		}
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, c.zone != "", true
}

// slashed matches the beginning of a date whose order is not clear.
var slashed = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/\d{2}`)

// Order finds out from successive cells of a column whether days come first: if a date begins with more
// than 12, or else if the first and the last date are then closer together. It changes nothing if neither
// is so.
func (c *Clock) Order(cells iter.Seq[string]) {
	first, last := "", ""
	for cell := range cells {
		parts := slashed.FindStringSubmatch(cell)
		switch {
		case parts == nil:
			continue
		case len(parts[1]) == 2 && parts[1] > "12":
			c.DayFirst = true
			return
		case len(parts[2]) == 2 && parts[2] > "12":
			return
		}
		first, last = cmp.Or(first, cell), cell
	}
	span := func(dayFirst bool) float64 {
		of := Clock{DayFirst: dayFirst}
		from, _, _ := of.Read(first)
		to, _, _ := of.Read(last)
		return math.Abs(to - from)
	}
	c.DayFirst = c.DayFirst || span(true) < span(false)
}

// Dated reports whether the last cell was a date, not a number of unknown units.
func (c *Clock) Dated() bool { return c.form != "" || c.Serial || c.Unix }

// Text returns a cell for readers: a number that is a date as a date, and other cells as they are.
func (c *Clock) Text(cell string) string {
	if seconds, _, ok := c.Read(cell); ok && (c.Serial || c.Unix) {
		return time.UnixMilli(int64(math.Round(1000 * seconds))).UTC().Format("2006-01-02 15:04:05")
	}
	return cell
}

const (
	serialOf1970  = 25569 // 1970-01-01 in days since 1899-12-30
	secondsPerDay = 24 * 3600
	// leastSerial and mostSerial are in the years 1954 and 2064.
	leastSerial, mostSerial = 20000, 60000
)

// milliseconds is the least number of a Unix time that counts milliseconds, not seconds.
const milliseconds = 1e11

// UnixTime reports whether a cell is a time of the years 2000 to 2100 in seconds or milliseconds since 1970, and its
// column has the name of a time; any name will do if it is "".
func UnixTime(name, cell string) bool {
	v, ok := parse(cell)
	return ok && unixTime(v, v) && (name == "" || has(name, "ordinal"))
}

// unixTime reports whether all times between two may be Unix times of the years 2000 to 2100.
func unixTime(first, last float64) bool {
	within := func(low, high float64) bool { return min(first, last) >= low && max(first, last) <= high }
	const from, to = 946_684_800, 4_102_444_800
	return within(from, to) || within(1000*from, 1000*to)
}

// SerialDates reports whether the first column of a file holds dates as Excel numbers them: it has the name
// of a time, and values of recent dates that rise by equal steps of a day or less.
func SerialDates(name string, cells []string) bool {
	var t trail
	for _, cell := range cells {
		v, ok := parse(cell)
		if !ok {
			return false
		}
		t.add(v)
	}
	return t.serialDates(name)
}

// serialDates is SerialDates for the values of a column. Excel writes eleven digits or more, whose rounding
// makes steps differ by up to a second.
func (t *trail) serialDates(name string) bool {
	return t.n > 2 && t.rises && t.first >= leastSerial && t.last <= mostSerial && has(name, "date") &&
		(t.seconds && t.step < 1 || t.even && t.step == 1)
}

// learn reads a time whose form is not that of the last one.
func (c *Clock) learn(cell string) (t time.Time, ok bool) {
	day := c.dateForm(cell)
	if day == "" {
		return t, false
	}
	if t, err := time.Parse(day, cell); err == nil {
		c.form, c.zone = day, ""
		return t, true
	}
	for _, between := range []string{"T", " "} {
		for _, hour := range hours {
			for _, zone := range zones {
				form := day + between + hour + zone
				if t, err := time.Parse(form, cell); err == nil {
					c.form, c.zone = form, zone
					return t, true
				}
			}
		}
	}
	return t, false
}

// shortYear matches a date whose year has two digits: one in which these are no day, as points or a month's name
// show, or as American dates have it. Without a time of day, it could be a version, unless all have two digits.
var shortYear = regexp.MustCompile(`^(\d{1,2}[./]\d{1,2}[./]\d\d \d|\d\d[./]\d\d[./]\d\d$|\d{1,2}[- ][A-Za-z]{3}[- ]\d\d( |$))`)

// dateForm returns the layout of the date at the beginning of a cell, as its digits and first sign
// show; "" if none begins so.
func (c *Clock) dateForm(cell string) string {
	form := c.longForm(cell)
	if shortYear.MatchString(cell) {
		return strings.Replace(form, "2006", "06", 1)
	}
	return form
}

// longForm is dateForm for years of four digits.
func (c *Clock) longForm(cell string) string {
	digits := len(cell) - len(strings.TrimLeft(cell, "0123456789"))
	if digits == len(cell) || digits == 0 {
		return ""
	}
	switch sign := cell[digits]; {
	case digits == 8 && (sign == 'T' || sign == ' '):
		return "20060102"
	case digits == 4 && sign == '-':
		return "2006-1-2"
	case digits == 4 && sign == '/':
		return "2006/1/2"
	case digits > 2:
		return ""
	case sign == '.':
		return "2.1.2006"
	case sign == '/' && c.DayFirst:
		return "2/1/2006"
	case sign == '/':
		return "1/2/2006"
	case sign == '-' || sign == ' ':
		if letter := cell[min(digits+1, len(cell)-1)]; letter >= '0' && letter <= '9' {
			return "2-1-2006"
		}
		return "2" + string(sign) + "Jan" + string(sign) + "2006"
	}
	return ""
}

const timeForms = "want a number or a time such as 2026-11-29 08:30:00, 2026-11-29T08:30:00Z, 29.11.2026 08:30 or 11/29/2026 08:30"
