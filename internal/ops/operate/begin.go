package operate

import (
	"fmt"
	"strings"
	"time"
)

// beginTime says when a run may begin, "" if it may begin now.
func beginTime(at, now time.Time) string {
	left := at.Sub(now)
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf("begins at %s (in %s)", at.Format(time.RFC3339), inWords(left))
}

// inWords formats a duration as days, hours and minutes, or as seconds.
func inWords(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	}
	minutes := int(d.Round(time.Minute).Minutes())
	var parts []string
	for _, unit := range []struct {
		name    string
		minutes int
	}{{"d", 24 * 60}, {"h", 60}, {"min", 1}} {
		if n := minutes / unit.minutes; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			minutes %= unit.minutes
		}
	}
	return strings.Join(parts, " ")
}
