package journal

import (
	"fmt"
	"strings"
	"testing"
)

// digest returns 64 hexadecimal digits.
func digest(of string) string { return strings.Repeat(of, 64) }

// members returns members named by letters; their peer IDs are the capital letters.
func members(letters string) (all []Member) {
	for _, l := range letters {
		all = append(all, Member{Name: string(l), ID: strings.ToUpper(string(l))})
	}
	return all
}

// published returns the notes of the members with the given letters. An entry such as a1 names
// the last run of member a; a1' means that its rows have changed, and a- that it has no earlier
// run. A member without an entry was lost.
func published(of string, size map[string]int, letters string) (notes [][]byte) {
	said := map[string]string{}
	for _, s := range strings.Fields(of) {
		said[s[:1]] = s[1:]
	}
	for _, l := range letters {
		s, there := said[string(l)]
		switch {
		case !there:
			notes = append(notes, nil)
		case s == "":
			notes = append(notes, []byte{})
		case s == "-":
			notes = append(notes, note{}.encode())
		default:
			notes = append(notes, note{past: true, run: digest(s[:1]), size: size[s[:1]], changed: strings.HasSuffix(s, "'")}.encode())
		}
	}
	return notes
}

// With two colluders, fewer than four changes cause a warning: four hide each other.
func TestRunsThatDifferByFew(t *testing.T) {
	for name, c := range map[string]struct {
		past  map[string]string // the runs in the folder of the first member, by their digits
		here  string
		notes string
		want  string // the reported changes; "" if there is no warning
	}{
		"nothing has changed":    {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1 d1 e1", ""},
		"nobody has a past":      {nil, "abcde", "a- b- c- d- e-", ""},
		"rows of one":            {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1' d1 e1", "1-1 changed [c]"},
		"rows of t+1":            {map[string]string{"1": "abcde"}, "abcde", "a1 b1' c1' d1' e1", "3-3 changed [b c d]"},
		"rows of t+2":            {map[string]string{"1": "abcde"}, "abcde", "a1 b1' c1' d1' e1'", ""},
		"rows of all":            {map[string]string{"1": "abcde"}, "abcde", "a1' b1' c1' d1' e1'", ""},
		"one has left":           {map[string]string{"1": "abcdef"}, "abcde", "a1 b1 c1 d1 e1", "1-1 left [f]"},
		"t+2 have left":          {map[string]string{"1": "abcdefghi"}, "abcde", "a1 b1 c1 d1 e1", ""},
		"a newcomer":             {map[string]string{"1": "abcd"}, "abcde", "a1 b1 c1 d1 e-", "1-1 joined [e]"},
		"one for another":        {map[string]string{"1": "abcdf"}, "abcde", "a1 b1 c1 d1 e-", "2-2 left [f] joined [e]"},
		"of each":                {map[string]string{"1": "abcdf"}, "abcde", "a1 b1' c1 d1 e-", "3-3 left [f] joined [e] changed [b]"},
		"of each, and one more":  {map[string]string{"1": "abcdf"}, "abcde", "a1 b1' c1' d1 e-", ""},
		"one was lost":           {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1 d1", "0-1 unknown [e]"},
		"another program's":      {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1 d1 e", "0-1 unknown [e]"},
		"one has lost its past":  {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1 d1 e-", "0-1 unknown [e]"},
		"one was elsewhere":      {map[string]string{"1": "abcde"}, "abcde", "a1 b1 c1 d1 e2", "0-1 unknown [e]"},
		"one, or all the others": {map[string]string{"1": "abcde"}, "abcde", "a1' b- c- d- e-", "1-5 changed [a] unknown [b c d e]"},
		"most name another run":  {map[string]string{"1": "abcde", "2": "abcd"}, "abcde", "a2 b2 c2 d2 e1", "1-1 joined [e]"},
		"two runs, as often":     {map[string]string{"1": "abxyz", "2": "cdxyz"}, "abcd", "a1 b1 c2 d2", ""},
		// In the following cases the first member was not in the run, so its folder does not
		// list the members.
		"it comes new":                         {nil, "abcde", "a- b1 c1 d1 e1", "1-1 joined [a]"},
		"it comes new for one that is gone":    {nil, "abcd", "a- b1 c1 d1", "2-2 joined [a] 1 more"},
		"it comes new, and t+1 are gone":       {nil, "ab", "a- b1", ""},
		"it comes from elsewhere":              {map[string]string{"2": "axyz"}, "abcde", "a2 b1 c1 d1 e1", "1-1 joined [a]"},
		"it comes new, one is lost":            {nil, "abcd", "a- b1 c1", "2-4 joined [a] unknown [d] 1 more"},
		"it comes new, and rows of one others": {nil, "abcde", "a- b1 c1' d1 e1", "2-2 joined [a] changed [c]"},
	} {
		p := &Past{}
		for _, id := range []string{"1", "2"} {
			if c.past[id] != "" {
				p.runs = append(p.runs, run{id: digest(id), agreement: digest("a"), members: members(c.past[id])})
			}
		}
		size := map[string]int{"1": 4, "2": 4}
		got, err := p.Compare(Started{ID: [32]byte{9}, Agreement: digest("a"), Members: members(c.here), Notes: published(c.notes, size, c.here), Enough: 4})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := ""
		if got != nil {
			said = fmt.Sprintf("%d-%d", got.Least, got.Most)
			for _, l := range []struct {
				of    string
				names []string
			}{{"left", got.Left}, {"joined", got.Joined}, {"changed", got.Changed}, {"unknown", got.Unknown}} {
				if l.names != nil {
					said += fmt.Sprint(" ", l.of, " ", l.names)
				}
			}
			if got.Unnamed > 0 {
				said += fmt.Sprintf(" %d more", got.Unnamed)
			}
		}
		if said != c.want {
			t.Errorf("%s: got %q, want %q", name, said, c.want)
		}
	}
}

// A member with a new folder has another peer ID, but its name shows that it was in the run.
func TestAMemberWithANewFolder(t *testing.T) {
	past := members("abcde")
	past[2].ID = "before"
	p := &Past{runs: []run{{id: digest("1"), agreement: digest("a"), members: past}}}
	got, err := p.Compare(Started{Agreement: digest("b"), Members: members("abcde"), Notes: published("a1 b1 c- d1 e1", map[string]int{"1": 5}, "abcde"), Enough: 4})
	if err != nil || got == nil || got.Least != 0 || got.Most != 1 || fmt.Sprint(got.Unknown) != "[c]" || !got.OtherSettings {
		t.Errorf("got %+v, %v", got, err)
	}
}

// An invalid note is an error that names the member.
func TestInvalidNotes(t *testing.T) {
	this := note{past: true, run: digest("0"), size: 5}.encode()
	good := note{past: true, run: digest("1"), size: 5}.encode()
	for _, bad := range [][]byte{{1}, {2, 0}, {1, 3}, {1, 0, 0}, good[:37], append(good[:38:38], 0), append(good[:34:34], 0, 0, 0, 0), append(good[:34:34], 255, 0, 0, 0), this} {
		_, err := (&Past{}).Compare(Started{Members: members("ab"), Notes: [][]byte{note{}.encode(), bad}, Enough: 4})
		if err == nil || !strings.HasPrefix(err.Error(), "b: want ") {
			t.Errorf("%x: got %v", bad, err)
		}
	}
}
