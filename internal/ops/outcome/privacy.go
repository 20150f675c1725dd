package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
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
	if least, _ := rested(p); least != "" {
		lines = append(lines, least)
	}
	if past := p.Protection.PastRun; past != nil {
		lines = append(lines, past.Line())
	}
	for _, s := range p.Published {
		lines = append(lines, "published: "+s)
	}
	return append(lines, entered(p)...)
}

// entered returns sentences about the totals that training has shown, and about releases.
func entered(p *model.Ledger) (lines []string) {
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

// fewRows is the number of rows below which a part of a component warns its owner.
const fewRows = 10

// rested says on how many rows a part of a component rested at least, "" if that is not measured, and
// whether these are few. They follow from the diversity of the weights in Eq. (47) of Idé et al. 2024,
// or of the responsibilities behind the participant's contribution.
func rested(p *model.Ledger) (line string, few bool) {
	if !p.LeastDiversity.Applies {
		return "", false
	}
	rows := math.Exp(p.LeastDiversity.Value)
	return fmt.Sprintf("at one time, its part of a component rested on about %s rows: only the sum over the members hides them (--on-low-diversity chooses another way)",
		report.Fixed(rows, 1)), rows < fewRows
}

// Planned returns what is known of the privacy of a member before its first round: what a run of the
// task with size members shows the others. The task is complete for its columns. A member that keeps
// a folder has spent so much, and publishes its last run; spent is nil for a simulated one, without a folder.
func Planned(t *pipeline.Task, size int, spent []operate.Spent) *operate.Privacy {
	g := group{size: size}
	items := t.Inventory(g)
	if _, tells := t.ConservedInRuns(); tells && spent != nil && size <= consensus.SmallRoster {
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
	s.Simulated = spent == nil
	addNoise(&s, t.PlannedDisclosures(g).Noise)
	if s.Simulated {
		mark(s.Sums)
	}
	return &operate.Privacy{
		Summary: s, Outside: outside(), Protection: &protection, Collusions: pipeline.Collusions(t.Settings, size), Spent: withList(spent),
		Warnings: breached(describedAll(t.ShownWarnings()), protection),
	}
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
func Privacy(m *model.Manifest, warnings []string, spent []operate.Spent, simulated bool) *operate.Privacy {
	s := summary()
	s.Simulated = simulated
	s.Values = valuesOf(m.Standardise, m.Normalise, m.PCA != nil)
	for _, line := range m.Privacy.Published {
		switch what, sums := pipeline.Summed(line); {
		case line == pipeline.Nonce.What:
		case Described(line).Kind == report.SeededWarning:
			s.Simulated = true
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
	addNoise(&s, m.Privacy.Entries)
	shown := entered(&m.Privacy)
	if s.Simulated {
		mark(s.Sums)
		mark(shown)
	}
	list := describedAll(warnings, report.Stated(m.Privacy.LoneChanges, m.Privacy.Protection.PastRun)...)
	if line, few := rested(&m.Privacy); few {
		list = append(list, report.Warning{Text: "privacy: " + line, Kind: report.FewRowsWarning, Members: []string{m.Participant}})
	}
	return &operate.Privacy{
		Summary: s, Outside: outside(), Protection: &m.Privacy.Protection, Collusions: collusions(m.Privacy.Protection, s.Most), Spent: withList(spent), Told: shown,
		Warnings: breached(list, m.Privacy.Protection),
	}
}

// collusions returns what colluders recover by the record of a run with this number of members in its sums. The
// record has all that this depends on if parts of vectors hide them; otherwise what it says itself.
func collusions(p report.Protection, size int) []report.Collusion {
	switch {
	case size < 2 || p.BreachPredicted == nil:
		return nil
	case p.Mode == string(chunking.Chunks):
		return pipeline.Collusions(consensus.Settings{Protect: chunking.Chunks, Chunks: p.Chunks, Colluders: p.Colluders}, size)
	case p.Colluders >= size-1:
		return []report.Collusion{{Others: size - 1, Breach: 1}}
	}
	return []report.Collusion{{Others: p.Colluders, Breach: *p.BreachPredicted}, {Others: size - 1, Breach: 1}}
}

// breached adds the warning that colluders are likely to recover a member's part of a sum, unless the list has it.
func breached(list []report.Warning, p report.Protection) []report.Warning {
	line := pipeline.BreachWarning(p)
	if line == "" || slices.ContainsFunc(list, func(w report.Warning) bool { return w.Kind == report.UnhiddenWarning }) {
		return list
	}
	return append(list, Described(line))
}

// summary returns what is the same in all runs.
func summary() (s operate.Summary) {
	for _, t := range inventory.Things {
		if t.Secret() {
			s.Secret = append(s.Secret, t.Names...)
		}
	}
	for _, seen := range outside() {
		switch place := inventory.Place(seen.Place); {
		case seen.Tells == "":
		case place == inventory.Network:
			s.Network = append(s.Network, seen)
		case (place == inventory.Status || place == inventory.Metrics) && !slices.Contains(s.Port, seen.Tells):
			s.Port = append(s.Port, seen.Tells)
		}
	}
	return s
}

// valuesOf reports whether members learn the smallest and the largest values, which are those of single rows.
func valuesOf(standardise, normalise string, projected bool) bool {
	return normalise == pipeline.MinMax && (standardise == algorithm.Global || projected)
}

// addNoise adds the noise that a ledger has to a summary: with bounds on what it reveals, or the blur, which
// has none.
func addNoise(s *operate.Summary, entries []report.Entry) {
	for _, e := range entries {
		switch {
		case e.Kind != report.NoiseEntry:
		case e.Spend == nil:
			s.Blur = true
		default:
			s.Noise = append(s.Noise, *e.Spend)
		}
	}
}

// mark says in lines about a simulation that noise hides nothing there.
func mark(lines []string) {
	for i, line := range lines {
		line = strings.ReplaceAll(line, "hidden by noise", "hidden by simulated noise")
		if strings.HasPrefix(line, "noise ") {
			line = "simulated, so that it hides nothing here: " + line
		}
		lines[i] = line
	}
}

// withList returns a list that is not nil, so that JSON has one.
func withList(spent []operate.Spent) []operate.Spent { return append([]operate.Spent{}, spent...) }

// outside lists what can be seen outside of sums: by other members, what tells others something about
// rows, and all files.
func outside() []operate.Seen {
	list := []operate.Seen{}
	for _, t := range inventory.Things {
		if t.Tells == "" && t.Place != inventory.Network && t.Place != inventory.Files {
			continue
		}
		list = append(list, operate.Seen{Place: string(t.Place), By: t.Place.SeenBy(), What: strings.Join(t.Names, ", "), Tells: t.Tells, Pass: t.Pass})
	}
	return list
}
