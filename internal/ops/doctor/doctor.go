// Package doctor checks a participant before a run, alone and with the others. Each finding
// says what is wrong, why, and what to do.
//
// The package judges figures that its callers have gathered; only [Free] asks the system. Start
// reading at [Finding].
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/node"
)

// Check names the subject of a finding.
type Check string

// The checks.
const (
	Configuration Check = "configuration" // node.yaml and the agreement are usable
	Signatures    Check = "signatures"    // all members have signed the agreement
	Identity      Check = "identity"      // the key exists, is private, and belongs to a member
	Disk          Check = "disk"          // there is room for the state and results
	Listen        Check = "listen"        // the addresses to listen on are free
	Rows          Check = "rows"          // the rows are readable, and have the agreed columns
	Missing       Check = "missing"       // the share of missing cells
	Ranges        Check = "ranges"        // values are in the agreed ranges
	Features      Check = "features"      // columns to check before they are used as features
	Reached       Check = "reached"       // the other members answer
	Agreement     Check = "agreement"     // they have the same agreement
	Between       Check = "between"       // they reach each other
	Clock         Check = "clock"         // clocks differ little
	Versions      Check = "versions"      // they speak the same version of the protocol
)

// Finding is a problem that may affect a run.
type Finding struct {
	Check Check `json:"check"` // its subject, such as disk, rows or reached
	// Fault reports whether a run cannot begin or cannot be trusted; otherwise the finding is
	// advice.
	Fault bool   `json:"fault"`
	Cause string `json:"cause"` // what is wrong
	Fix   string `json:"fix"`   // what to do
}

// Free disk space in bytes: the least for a run to begin, and the advised one.
const (
	leastRoom  = 64 << 20
	usefulRoom = 1 << 30
)

// Room checks the free bytes on the disk of a folder, for a run that keeps at most state bytes.
func Room(dir string, free uint64, state int64) []Finding {
	want := max(usefulRoom, leastRoom+uint64(state))
	if free >= want {
		return nil
	}
	return []Finding{{
		Disk, free < leastRoom,
		fmt.Sprintf("the disk of %s has %d MiB free, want at least %d MiB", dir, free>>20, want>>20),
		"free some space, or move the folder to another disk",
	}}
}

// Table checks a file of rows against the agreed columns and ranges. The profile has the agreed
// column names.
func Table(p *dataset.Profile, columns []string, ranges pipeline.Ranges) (found []Finding) {
	have := map[string]dataset.ColumnProfile{}
	for _, c := range p.Columns {
		have[c.Name] = c
	}
	for _, name := range columns {
		c, ok := have[name]
		if !ok {
			continue // reading the rows reports this
		}
		if c.Missing >= mostMissing {
			found = append(found, Finding{
				Missing, false, fmt.Sprintf("%s: column %s: %.0f%% of the cells are missing", p.File, name, 100*c.Missing),
				"check that the file is complete; if so, choose what happens to such rows with missing: in node.yaml",
			})
		}
		if f, outside := outside(p.File, c, ranges); outside {
			found = append(found, f)
		}
	}
	for _, f := range p.Findings {
		if slices.Contains(columns, f.Column) {
			found = append(found, Finding{Features, false, fmt.Sprintf("%s: column %s: %s", p.File, f.Column, f.Message), f.Advice})
		}
	}
	return found
}

// mostMissing is the share of missing cells in a column from which on there is a finding.
const mostMissing = 0.2

// outside checks the minimum and maximum of a column.
func outside(file string, c dataset.ColumnProfile, ranges pipeline.Ranges) (Finding, bool) {
	r, agreed := ranges[c.Name]
	if !agreed {
		r, agreed = ranges[pipeline.EveryColumn]
	}
	if !agreed || c.Min == nil || c.Max == nil || *c.Min >= r[0] && *c.Max <= r[1] {
		return Finding{}, false
	}
	return Finding{
		Ranges, *c.Max < r[0] || *c.Min > r[1],
		fmt.Sprintf("%s: column %s: values from %g to %g, agreed range %g to %g", file, c.Name, *c.Min, *c.Max, r[0], r[1]),
		"check the unit of the column; values outside the range are moved to its nearer end",
	}, true
}

// mostClock is the largest difference between clocks without a finding. The protocol needs no
// common time; logs and begin_at do.
const mostClock = 5 * time.Second

// Members checks the answers of the other members to a probe. The pairs in unreached contain
// only members that another member has seen.
func Members(self string, answers []node.Probed, unreached []node.Unreached) (found []Finding) {
	failures := map[string][]string{} // failed dials to members that are present, by name
	for _, p := range answers {
		switch {
		case len(p.Failures) > 0 && Pairs(unreached, self, p.Name):
			failures[p.Name] = p.Failures
			continue
		case p.Err != nil:
			found = append(found, silent(p))
			continue
		case p.Refused != "":
			found = append(found, Finding{Agreement, true, p.Name + " " + p.Refused, "compare the agreements with collabdict consortium diff"})
		}
		for _, d := range p.Differs {
			found = append(found, Finding{
				Agreement, true, fmt.Sprintf("%s has another agreement: %s: here %s, there %s", p.Name, d.Field, d.Own, d.Theirs),
				"all members need the same file: compare with collabdict consortium diff, and sign again",
			})
		}
	}
	for _, u := range unreached {
		var own []string
		if u.A == self || u.B == self {
			own = slices.Concat(failures[u.A], failures[u.B])
		}
		found = append(found, Apart(u, own...))
	}
	return append(found, clocks(self, answers)...)
}

// Pairs reports whether two members are one of the pairs that do not reach each other.
func Pairs(unreached []node.Unreached, a, b string) bool {
	return slices.ContainsFunc(unreached, func(u node.Unreached) bool { return u.A == a && u.B == b || u.A == b && u.B == a })
}

// Apart returns the finding about a pair of members that do not reach each other. If this
// member is one of them, failures are those of its dials.
func Apart(u node.Unreached, failures ...string) Finding {
	cause := strings.Join(append([]string{u.Reason}, failures...), "; ")
	return Finding{Between, true, u.A + " and " + u.B + " do not reach each other: " + cause, u.Advice}
}

// silent returns the finding about a member that has not answered.
func silent(p node.Probed) Finding {
	if version, ok := errors.AsType[*node.VersionError](p.Err); ok {
		return Finding{
			Versions, true, fmt.Sprintf("%s speaks version %d of the protocol, this member version %d", p.Name, version.Got, version.Want),
			"install the same release of collabdict at all members",
		}
	}
	f := Finding{Reached, true, p.Name + " does not answer: " + p.Err.Error(), "check that it runs, and that no firewall blocks the way"}
	if len(p.Failures) > 0 {
		f.Cause = p.Name + " is not reached: " + strings.Join(p.Failures, "; ")
		f.Fix = "check that it runs, its addrs in the agreement, and the firewalls on the way"
	}
	return f
}

// clocks compares this member's clock with those of the others. If most of them differ in the
// same direction, this member's clock is wrong.
func clocks(self string, answers []node.Probed) (found []Finding) {
	var off []node.Probed
	heard, ahead := 0, 0
	for _, p := range answers {
		if p.Err != nil {
			continue
		}
		heard++
		if p.Ahead.Abs() > mostClock+p.Trip/2 {
			off = append(off, p)
			if p.Ahead > 0 {
				ahead++
			}
		}
	}
	const fix = "synchronise the clock with a time server (timedatectl set-ntp true)"
	if n := max(ahead, len(off)-ahead); heard > 1 && 2*n > heard {
		slices.SortFunc(off, func(a, b node.Probed) int { return cmp.Compare(a.Ahead.Abs(), b.Ahead.Abs()) })
		return []Finding{{Clock, false, fmt.Sprintf("the clock of %s is %s those of most members", self, offBy(-off[len(off)/2].Ahead)), fix}}
	}
	for _, p := range off {
		found = append(found, Finding{Clock, false, fmt.Sprintf("the clock of %s is %s that of %s", p.Name, offBy(p.Ahead), self), fix})
	}
	return found
}

// offBy returns a difference between two clocks in words.
func offBy(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("%s behind", d.Abs().Round(time.Second))
	}
	return fmt.Sprintf("%s ahead of", d.Round(time.Second))
}

// Faults returns the findings that prevent a run.
func Faults(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return !f.Fault })
}
