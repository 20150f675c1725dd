package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/inventory"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// The two kinds of loss that a folder's ledger adds up, and the default delta of epsilon.
const (
	OfReleases = "all releases of this folder together"
	OfNoise    = "what noise hides in all runs of this folder together"
	UsualDelta = 1e-5
)

// Spent returns the differential privacy that a folder has spent, by its records. It is never nil.
func Spent(records []journal.Record) []operate.Spent {
	list := []operate.Spent{}
	for _, spent := range []struct {
		by report.EntryKind
		of string
	}{{report.NoiseEntry, OfNoise}, {report.ReleaseEntry, OfReleases}} {
		if loss, n := journal.Spent(records, spent.by); n > 0 {
			list = append(list, operate.Spent{By: spent.by, Spend: report.SpendOf(loss, UsualDelta, spent.of)})
		}
	}
	return list
}

// Told returns sentences about what training has shown of the participant. The first one is about the
// protection of sums.
func Told(p *model.Ledger) []string {
	first := "protection " + p.Protection.Mode
	if b := p.Protection.BreachPredicted; b != nil {
		first += fmt.Sprintf(", a member's vector is recovered with probability %.2g (assumed colluders: %d)", *b, p.Protection.Colluders)
	}
	lines := []string{first}
	// The diversity is that of the weights in Eq. (47) of Idé et al. 2024, or of the
	// responsibilities behind this participant's contribution.
	if p.LeastDiversity.Applies {
		lines = append(lines, fmt.Sprintf("at one time, its part of a component rested on about %s rows: only the sum over the members hides them (--on-low-diversity chooses another way)",
			report.Fixed(math.Exp(p.LeastDiversity.Value), 1)))
	}
	if past := p.Protection.PastRun; past != nil {
		lines = append(lines, past.Line())
	}
	for _, s := range p.Published {
		lines = append(lines, "published: "+s)
	}
	for _, e := range p.Entries {
		if e.Kind != report.PublishedEntry {
			lines = append(lines, e.Sentence())
		}
	}
	if c := p.ReleaseCap; c != nil {
		lines = append(lines, fmt.Sprintf("the members allow releases up to epsilon %g at delta %g", c.Epsilon, c.Delta))
	}
	return lines
}

// Planned returns what is known of the privacy of a member before its first round: what a run of the
// task with size members shows the others. The task is complete for its columns. A member that keeps
// a folder has spent so much, and publishes its last run; spent is nil for a simulated one, without a folder.
func Planned(t *pipeline.Task, size int, spent []operate.Spent) *operate.Privacy {
	g := group{size: size}
	items := t.Inventory(g)
	if _, tells := t.ConservedInRuns(); tells && spent != nil && columnstats.Publishes(g) {
		items = slices.Insert(items, 1, pipeline.PastRun) // with the nonce, which comes first
	}
	protection := pipeline.Protection(t.Settings, size)
	s := summary()
	s.Least, s.Most, s.Values = size, size, valuesOf(t.Standardise, t.Normalise, t.PCA > 0)
	for _, i := range items {
		what, _ := pipeline.Summed(pipeline.Line(i))
		switch {
		case i.Epsilon == algorithm.FreeOfRows:
		case i.Form == algorithm.Published:
			s.Open = append(s.Open, what)
		default:
			s.Sums = append(s.Sums, what)
		}
	}
	s.Noise = boundedBy(t.PlannedDisclosures(g).Noise)
	s.Seeded = len(s.Noise) > 0 && spent == nil
	return &operate.Privacy{Summary: s, Shown: report.ShownOf(items), Outside: outside(), Protection: &protection, Spent: withList(spent), Warnings: DescribedAll(t.ShownWarnings())}
}

// A group of a size, which only that is asked of.
type group struct {
	collabdict.Solo
	size int
}

// Membership implements [collabdict.Group].
func (g group) Membership() collabdict.Membership { return collabdict.Membership{Size: g.size} }

// Privacy returns what is known of the privacy of the participant of a trained model: its run gave
// the warnings, and its folder has spent so much.
func Privacy(m *model.Manifest, warnings []string, spent []operate.Spent) *operate.Privacy {
	s := summary()
	s.Values = valuesOf(m.Standardise, m.Normalise, m.PCA != nil)
	for _, line := range m.Privacy.Published {
		switch what, sums := pipeline.Summed(line); {
		case line == pipeline.Nonce.What:
		case Described(line).Kind == report.SeededWarning:
			s.Seeded = true
		case sums:
			s.Sums = append(s.Sums, what)
		default:
			s.Open = append(s.Open, what)
		}
	}
	for _, e := range m.Privacy.Entries {
		if e.Kind == report.TotalEntry && e.Members != nil {
			if s.Least == 0 || e.Members[0] < s.Least {
				s.Least = e.Members[0]
			}
			s.Most = max(s.Most, e.Members[1])
		}
	}
	s.Noise = boundedBy(m.Privacy.Entries)
	return &operate.Privacy{
		Summary: s, Outside: outside(), Protection: &m.Privacy.Protection, Spent: withList(spent), Told: Told(&m.Privacy),
		Warnings: DescribedAll(warnings, report.Stated(m.Privacy.LoneChanges, m.Privacy.Protection.PastRun)...),
	}
}

// summary returns what is the same in all runs.
func summary() (s operate.Summary) {
	for _, t := range inventory.Things {
		if t.Secret() {
			s.Secret = append(s.Secret, t.Names...)
		}
	}
	for _, seen := range outside() {
		if seen.Place == string(inventory.Network) && seen.Tells != "" {
			s.Network = append(s.Network, seen)
		}
	}
	return s
}

// valuesOf reports whether members learn the smallest and the largest values, which are those of single rows.
func valuesOf(standardise, normalise string, projected bool) bool {
	return normalise == pipeline.MinMax && (standardise == algorithm.Global || projected)
}

// boundedBy returns the losses that noise bounds.
func boundedBy(entries []report.Entry) (spends []report.Spend) {
	for _, e := range entries {
		if e.Kind == report.NoiseEntry && e.Spend != nil {
			spends = append(spends, *e.Spend)
		}
	}
	return spends
}

// withList returns a list that is not nil, so that JSON has one.
func withList(spent []operate.Spent) []operate.Spent { return append([]operate.Spent{}, spent...) }

// outside lists what can be seen outside of sums: by other members, and what tells others something
// about rows.
func outside() []operate.Seen {
	list := []operate.Seen{}
	for _, t := range inventory.Things {
		if t.Tells == "" && t.Place != inventory.Network {
			continue
		}
		list = append(list, operate.Seen{Place: string(t.Place), By: t.Place.SeenBy(), What: strings.Join(t.Names, ", "), Tells: t.Tells})
	}
	return list
}
