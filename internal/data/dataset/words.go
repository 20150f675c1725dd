package dataset

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed words.txt
var wordsText string

// vocabulary holds the words of words.txt by what they say, in lower case and without accents. Those of
// several words are joined by blanks.
var vocabulary = readWords(wordsText)

func readWords(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) != 3 {
			panic("dataset: want what a word says, its language and the word in words.txt, got " + line)
		}
		out[fields[0]] = append(out[fields[0]], strings.Join(words(fields[2]), " "))
	}
	return out
}

// has reports whether one of the words of a name says this, as in isAttack and fault_1.
func has(name, what string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(vocabulary[what], w) })
}

// is reports whether a whole name or cell is a word that says this.
func is(name, what string) bool {
	return slices.Contains(vocabulary[what], strings.Join(words(name), " "))
}

// tellsFaults reports whether a name has a word of faults, also in a longer word as in Alarmstatus.
func tellsFaults(name string) bool {
	return has(name, "label") || has(name, "fault") || is(name, "fault") || slices.ContainsFunc(words(name), func(w string) bool {
		for _, other := range vocabulary["not-stem"] {
			w = strings.ReplaceAll(w, other, " ")
		}
		return slices.ContainsFunc(vocabulary["stem"], func(stem string) bool { return strings.Contains(w, stem) })
	})
}

// tellsNormal reports whether a label says that its row is normal.
func tellsNormal(label string) bool { return is(label, "good") || is(label, "normal") }

// inverse reports whether the name of a column says that its value is 1 in rows without faults, as is_ok does.
func inverse(name string) bool {
	return has(name, "good") && !tellsFaults(name) && !slices.ContainsFunc(words(name), func(w string) bool { return w == "not" || w == "nicht" })
}

// words returns the words of a name in lower case, without accents.
func words(name string) []string {
	var b strings.Builder
	low := false
	for _, r := range norm.NFD.String(name) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if !unicode.IsLetter(r) || low && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		if low = unicode.IsLower(r); unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return strings.Fields(norm.NFC.String(b.String()))
}
