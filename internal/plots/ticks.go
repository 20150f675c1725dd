package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
)

// even marks an axis at about the given number of round values, in steps that are not below least.
type even struct {
	about int
	least float64
}

// Ticks implements [plot.Ticker].
func (e even) Ticks(low, high float64) []plot.Tick {
	step := max(e.least, roundUp((high-low)/float64(e.about)))
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		label := number(i*step, decimals)
		if most := math.Max(math.Abs(low), math.Abs(high)); most >= longNumber || decimals > longDecimals {
			label = exponential(i*step, most/step)
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label})
	}
	return ticks
}

// Numbers that are longer have an exponent.
const (
	longNumber   = 1e9
	longDecimals = 6
)

// exponential formats a number with an exponent. The largest number is the given number of steps of
// the axis.
func exponential(v, steps float64) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(v, 'g', 1+max(0, int(math.Ceil(math.Log10(steps)))), 64)
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e−", "-", "−").Replace(text)
}

// dates marks an axis of seconds since 1970 at about the given number of round times. The first
// mark of a day has its date.
type dates struct{ about int }

// roundTimes are the steps between marks, in seconds, below those of months.
var roundTimes = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600, day, 2 * day, 7 * day, 14 * day}

const (
	day   = 24 * 3600.0
	month = 30 * day // about
)

// Ticks implements [plot.Ticker].
func (d dates) Ticks(low, high float64) []plot.Tick {
	step := (high - low) / float64(d.about)
	if step > roundTimes[len(roundTimes)-1] {
		return months(low, high, step/month)
	}
	form, i := "15:04:05.000", slices.IndexFunc(roundTimes, func(t float64) bool { return t >= step })
	switch {
	case step <= 0.5:
		step = max(1e-3, roundUp(step))
	case roundTimes[i] < 60:
		step, form = roundTimes[i], "15:04:05"
	case roundTimes[i] < day:
		step, form = roundTimes[i], "15:04"
	default:
		step, form = roundTimes[i], time.DateOnly
	}
	var ticks []plot.Tick
	date := ""
	for i := math.Ceil(low / step); i*step <= high; i++ {
		at := moment(i * step)
		t := plot.Tick{Value: i * step, Label: at.Format(form)}
		if today := at.Format(time.DateOnly); today != date && step < day {
			t.Label += "\n" + today
			date = today
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// months marks beginnings of months, or of years, about the given number of months apart.
func months(low, high, apart float64) (ticks []plot.Tick) {
	form, step := "2006-01", 1
	for _, n := range []int{2, 3, 6, 12} {
		if apart > float64(step) {
			step = n
		}
	}
	if apart > 12 {
		step = 12 * int(math.Ceil(roundUp(apart/12)))
	}
	if step >= 12 {
		form = "2006"
	}
	first := moment(low)
	for i := 12 * first.Year() / step * step; ; i += step {
		at := time.Date(i/12, time.Month(i%12+1), 1, 0, 0, 0, 0, time.UTC)
		seconds := float64(at.Unix())
		if seconds > high {
			return ticks
		}
		if seconds >= low {
			ticks = append(ticks, plot.Tick{Value: seconds, Label: at.Format(form)})
		}
	}
}

// moment returns the time after the given number of seconds since 1970.
func moment(seconds float64) time.Time {
	whole := math.Floor(seconds)
	return time.Unix(int64(whole), int64(math.Round((seconds-whole)*1e9))).UTC()
}

// roundUp returns the next of 1, 2, 5, 10, ...
func roundUp(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if x <= f*power*(1+1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// number formats a number with separated thousands.
func number(v float64, decimals int) string {
	whole, rest, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'f', decimals, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + " " + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 && strings.Trim(whole, "0. ") != "" {
		whole = "−" + whole
	}
	return whole
}

// decades marks a logarithmic axis with base 10.
type decades struct{ about int }

// Ticks implements [plot.Ticker].
func (d decades) Ticks(low, high float64) []plot.Tick {
	if high-low < 2.5 && low > -4 && high < 6 {
		return within(low, high)
	}
	from, to := int(math.Ceil(low-1e-9)), int(math.Floor(high+1e-9))
	step := max(1, (to-from+d.about-1)/d.about)
	var ticks []plot.Tick
	for e := to; e >= from; e-- {
		label := ""
		if (to-e)%step == 0 {
			label = fmt.Sprintf("1e%d", e)
			if from >= -3 && to <= 5 || e == 0 {
				label = number(math.Pow10(e), max(0, -e))
			}
		}
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: label})
	}
	return ticks
}

// within marks 1, 2, 5, 10, ... on an axis of less than three decades.
func within(low, high float64) (ticks []plot.Tick) {
	for e := math.Floor(low); e <= high; e++ {
		for _, f := range []float64{1, 2, 5} {
			v := f * math.Pow(10, e)
			if at := math.Log10(v); at >= low-1e-9 && at <= high+1e-9 {
				ticks = append(ticks, plot.Tick{Value: at, Label: number(v, int(max(0, -e)))})
			}
		}
	}
	return ticks
}

// unit is a unit that values are shown in.
type unit struct {
	name string
	of   float64
}

// timeUnit returns the unit for times up to the given one.
func timeUnit(longest time.Duration) unit {
	switch {
	case longest < 2*time.Second:
		return unit{"ms", float64(time.Millisecond)}
	case longest < 5*time.Minute:
		return unit{"s", float64(time.Second)}
	case longest < 5*time.Hour:
		return unit{"min", float64(time.Minute)}
	}
	return unit{"h", float64(time.Hour)}
}

// byteUnit returns the unit for numbers of bytes up to the given one.
func byteUnit(most float64) unit {
	switch {
	case most < 1e5:
		return unit{"kB", 1e3}
	case most < 1e9:
		return unit{"MB", 1e6}
	}
	return unit{"GB", 1e9}
}

// show formats a value with three digits and its unit.
func (u unit) show(v float64) string {
	v /= u.of
	decimals := 2
	if v > 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(v))))
	}
	return number(v, min(decimals, 4)) + " " + u.name
}
