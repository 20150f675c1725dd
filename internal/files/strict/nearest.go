package strict

import "strings"

// Unknown returns a message about an unknown field, with the fields that exist.
func Unknown(field string, known []string) string {
	return "unknown field " + field + Instead(field, "there are", known)
}

// Instead returns the end of a message about an unknown name: it suggests the known name with
// the nearest spelling. If none is near, it lists all of them after the words.
func Instead(name, words string, known []string) string {
	near := Nearest(name, known)
	switch {
	case near != "":
		return ": did you mean " + near + "?"
	case len(known) > 0:
		return "; " + words + " " + strings.Join(known, ", ")
	}
	return ""
}

// Nearest returns the first of the known names that differs least from a name, capitals aside. It
// returns "" if none is near: at most one edit for two to five characters, and two for longer names.
func Nearest(name string, known []string) (nearest string) {
	length := len([]rune(name))
	least := min(length/2, 1) + 1
	if length > 5 {
		least = 3
	}
	for _, k := range known {
		if d := distance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k))); d < least && d < len([]rune(k)) {
			nearest, least = k, d
		}
	}
	return nearest
}

// distance returns the number of insertions, deletions, substitutions and swaps of neighbours
// that turn a into b: the optimal string alignment distance.
func distance(a, b []rune) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		table[i][0] = i
	}
	for j := range table[0] {
		table[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, table[i-2][j-2]+1)
			}
			table[i][j] = d
		}
	}
	return table[len(a)][len(b)]
}
