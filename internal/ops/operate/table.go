package operate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
)

// WriteTable writes a status for people, with a line for each member.
func (s *Status) WriteTable(w io.Writer) {
	fmt.Fprintf(w, "%s: %s (%s for %s)\n", s.Name, s.Activity(), s.Phase, s.At.Sub(s.Since).Round(time.Second))
	if healthy, why := s.Healthy(); !healthy {
		fmt.Fprintln(w, why)
	}
	if s.Model != "" {
		fmt.Fprintf(w, "%s: %s", s.Model, s.completed())
		if s.Run != "" {
			fmt.Fprintf(w, ", run %s", s.Run[:16])
		}
		fmt.Fprintln(w)
	}
	if n := s.Node; n != nil {
		fmt.Fprintf(w, "%d of %d members are here\n\n", s.Present(), n.Want)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, m := range s.members() {
			fmt.Fprintf(t, "  %s\t%s\n", m.Name, m)
		}
		t.Flush()
		for _, u := range n.Unreached {
			fmt.Fprintf(w, "\n%s and %s do not reach each other: %s\n  %s\n", u.A, u.B, u.Reason, u.Advice)
		}
		fmt.Fprintf(w, "\nsent %s in %d messages, received %s in %d", byteCount(n.Traffic.BytesSent), n.Traffic.MessagesSent, byteCount(n.Traffic.BytesReceived), n.Traffic.MessagesReceived)
		if n.LastTook > 0 {
			fmt.Fprintf(w, "; the last sum took %s", n.LastTook.Round(time.Millisecond))
		}
		fmt.Fprintln(w)
	}
	for _, p := range s.Spent {
		fmt.Fprintf(w, "%s: epsilon %.4g at delta %g\n", p.Of, p.Epsilon, p.Delta)
	}
	if s.Warns > 0 {
		fmt.Fprintf(w, "\n%s; the last:\n", count(s.Warns, "warning"))
		for _, warned := range s.Warned {
			fmt.Fprintf(w, "  %s  %s\n", warned.At.UTC().Format("15:04:05"), warned.Text)
		}
	}
}

// completed says how many rounds are completed, and how long the others take.
func (s *Status) completed() string {
	line := "completed " + count(s.Round, "round")
	if s.Rounds > 0 {
		line = fmt.Sprintf("completed %d of at most %s", s.Round, count(s.Rounds, "round"))
	}
	if left, known := s.Left(); known {
		line += fmt.Sprintf("; at most %s to go", left.Round(time.Second))
	}
	return line
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// roundLine describes the last round.
func roundLine(s *Status) string {
	line := fmt.Sprintf("round %d/%d  %s  %d participants", s.Round, s.Rounds, s.Last.progress(), s.Last.Members)
	for _, d := range s.Last.LowDiversity {
		line += fmt.Sprintf("  component %d: %s", d.Component, d.Action)
	}
	if i := s.Last.Information; i.Applies {
		line += fmt.Sprintf("  information %s, %d of %d units", report.Fixed(i.Value, 2), s.Last.ActiveUnits, s.Last.Latent)
	}
	if w := s.Last.Weight; w.Applies {
		line += fmt.Sprintf("  weight %.3f", w.Value)
	}
	if d := s.Last.Discrepancy; d.Applies {
		line += fmt.Sprintf(", discrepancy %.3g", d.Value)
	}
	if s.Node != nil && s.Node.Traffic.BytesSent > 0 {
		line += "  sent " + byteCount(s.Node.Traffic.BytesSent)
	}
	return line + s.toGo()
}

// progress describes how far the round has brought the model.
func (r *Round) progress() string {
	switch {
	case r.Clusters > 0:
		return fmt.Sprintf("%d clusters", r.Clusters)
	case !r.Loss.Defined:
		return "loss undefined"
	case r.Step:
		return fmt.Sprintf("step %.3g", r.Loss.Value)
	}
	return fmt.Sprintf("loss %.6g per row", r.Loss.Value)
}

// toGo says that training has converged, or how long it takes at most.
func (s *Status) toGo() string {
	if s.Last.Converged {
		return "  converged"
	}
	if left, known := s.Left(); known && s.Round < s.Rounds {
		return fmt.Sprintf("  at most %s to go", left.Round(time.Second))
	}
	return ""
}

func byteCount(n uint64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1e3)
}

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
