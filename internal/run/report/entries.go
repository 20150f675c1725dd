package report

import (
	"fmt"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// AllMembers is the SeenBy of totals and published values, which all members see.
const AllMembers = "all members"

// Disclosures holds the facts about a run that its ledger cannot read from the slots.
type Disclosures struct {
	Published []string // values that each member shows in the clear
	Learned   []string // what sums at the start reveal about all rows
	Rounds    []string // what later sums reveal
	// rows of all members, and of the smallest component; 0 if unknown
	Rows, LeastRows float64
	Noise           []Entry // what noise hides
}

// Entries returns an entry for each kind of total and message so far, and for each group of
// members that totals reveal together.
func (l *Ledger) Entries(t Disclosures) []Entry {
	out := []Entry{}
	if e, ok := l.gathers(t.Published); ok {
		out = append(out, e)
	}
	for _, key := range l.order {
		e := *l.opened[key]
		e.Rows = t.Rows
		if strings.Contains(e.What, componentsWord) && e.Rounds[1] == l.round && l.round > 0 {
			e.LeastRows = t.LeastRows
		}
		out = append(out, e)
	}
	if len(t.Learned) > 0 {
		out = append(out, Entry{Kind: TotalEntry, What: "what the sums at the start reveal about the rows of all: " + strings.Join(t.Learned, "; "), SeenBy: AllMembers, Rounds: &[2]int{}, Rows: t.Rows})
	}
	if len(t.Rounds) > 0 {
		out = append(out, Entry{Kind: TotalEntry, What: strings.Join(t.Rounds, "; "), SeenBy: AllMembers, Rounds: &[2]int{min(1, l.round), l.round}, Rows: t.Rows})
	}
	return append(append(out, l.loneEntries()...), t.Noise...)
}

// gathers returns the entry of the messages in which members publish values.
func (l *Ledger) gathers(published []string) (e Entry, ok bool) {
	if len(published) == 0 && l.gathered.Times == 0 {
		return e, false
	}
	e = l.gathered
	e.Kind, e.SeenBy, e.What = PublishedEntry, AllMembers, "of each member: "+strings.Join(published, "; ")
	return e, true
}

// loneEntries returns an entry for each group of members, from the first to the last round
// whose totals reveal them.
func (l *Ledger) loneEntries() (out []Entry) {
	at := map[string]int{}
	for _, c := range l.lone {
		who := fmt.Sprint(c.Members, c.Replaced, c.Known, c.Change)
		i, known := at[who]
		if !known {
			i = len(out)
			at[who] = i
			out = append(out, Entry{Kind: LoneEntry, What: strings.TrimPrefix(c.line(), "privacy: "), SeenBy: AllMembers, Rounds: &[2]int{c.Rounds[0], c.Rounds[1]}})
		}
		out[i].Times++
		out[i].Rounds[0], out[i].Rounds[1] = min(out[i].Rounds[0], c.Rounds[0]), max(out[i].Rounds[1], c.Rounds[1])
	}
	return out
}

// componentsWord is in the descriptions of sums that keep components apart.
const componentsWord = "components"

// enter records a slot.
func (l *Ledger) enter(d *consensus.Decision) {
	round, members := int(d.Round), len(d.Members)
	if d.Kind == consensus.Gather {
		if l.gathered.Times == 0 {
			l.gathered.Rounds = &[2]int{round, round}
		}
		l.gathered.Times++
		l.gathered.Rounds[1] = round
		return
	}
	if d.Kind != consensus.Sum {
		return
	}
	what := l.holds[len(d.Total)]
	if what == "" {
		what = fmt.Sprintf("%d values", len(d.Total))
	}
	if r := d.Running; r != nil && l.running[r.Key] != nil {
		members = len(l.running[r.Key].counted)
	}
	key := fmt.Sprint(round == 0, what)
	e := l.opened[key]
	if e == nil {
		e = &Entry{Kind: TotalEntry, What: what, SeenBy: AllMembers, Rounds: &[2]int{round, round}, Members: &[2]int{members, members}}
		l.opened[key] = e
		l.order = append(l.order, key)
	}
	e.Times++
	e.Rounds[1] = round
	e.Members[0], e.Members[1] = min(e.Members[0], members), max(e.Members[1], members)
}

// describe returns the content of a sum in words.
func describe(blocks []collabdict.Block) string {
	length := map[collabdict.Moment]int{}
	for _, b := range blocks {
		length[b.Moment] += b.Len
	}
	components, first := length[collabdict.Counts], length[collabdict.FirstMoments]
	switch {
	case length[collabdict.Updates] > 0:
		return fmt.Sprintf("derivatives or changes of the %d weights of a network, and %d further values such as the loss", length[collabdict.Updates], length[collabdict.NoMoment])
	case length[collabdict.Noisy] > 0:
		return fmt.Sprintf("%d moments of rows, with noise for differential privacy", length[collabdict.Noisy])
	case components == 0 || first == 0:
		return fmt.Sprintf("%d values, such as counts of members or of rows", length[collabdict.NoMoment]+components)
	}
	parts := "the number of rows, and their sum"
	if length[collabdict.SecondMoments] > 0 {
		parts = "the number of rows, their sum, and the sum of their products"
	}
	what := fmt.Sprintf("%s, for each of %d %s in %d columns", parts, components, componentsWord, first/components)
	if components == 1 {
		what = fmt.Sprintf("%s, in %d columns", parts, first)
	}
	if length[collabdict.Objective] > 0 {
		what += "; and a part of the objective"
	}
	return what
}
