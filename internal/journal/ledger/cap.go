package ledger

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

// A CapError reports a release that would exceed the cap, together with those before it.
type CapError struct {
	Cap      report.Cap
	Wanted   privacy.ZCDP
	Releases []Record // before it
}

// mostNamed bounds the number of releases in the error.
const mostNamed = 3

func (e *CapError) Error() string {
	spent, _ := Spent(e.Releases, report.ReleaseEntry)
	d := e.Cap.Delta
	var by []string
	earlier := max(0, len(e.Releases)-mostNamed)
	for _, r := range e.Releases[earlier:] {
		own, _ := Spent([]Record{r}, report.ReleaseEntry)
		by = append(by, fmt.Sprintf("%s of %s (%.4g)", r.Release, r.At.UTC().Format("2006-01-02"), own.Epsilon(d)))
	}
	before := "nothing is spent yet"
	if len(by) > 0 {
		before = fmt.Sprintf("%.4g is spent by %s", spent.Epsilon(d), strings.Join(by, ", "))
	}
	if earlier > 0 {
		before += fmt.Sprintf(" and %d before them", earlier)
	}
	return fmt.Sprintf("the members have agreed on an epsilon of at most %g for all releases of a folder together, at a delta of %g: %s, and this release would make it %.4g; a release of at most %.4g is left",
		e.Cap.Epsilon, d, before, (spent + e.Wanted).Epsilon(d), e.Cap.Left(spent).Epsilon(d))
}

// within returns a *CapError if a further record would exceed the cap.
func within(c *report.Cap, records []Record, further Record) error {
	var releases []Record
	for _, r := range records {
		if _, n := Spent([]Record{r}, report.ReleaseEntry); n > 0 {
			releases = append(releases, r)
		}
	}
	spent, _ := Spent(releases, report.ReleaseEntry)
	wanted, _ := Spent([]Record{further}, report.ReleaseEntry)
	if spent+wanted <= c.Loss() {
		return nil
	}
	return &CapError{*c, wanted, releases}
}
