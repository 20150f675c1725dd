package plots

import (
	"fmt"
	"math"
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
		ticks = append(ticks, plot.Tick{Value: i * step, Label: number(i*step, decimals)})
	}
	return ticks
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
