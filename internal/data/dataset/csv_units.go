package dataset

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// unit matches a unit of measurement, alone or in brackets, also a product or quotient of
// units.
var unit = func() *regexp.Regexp {
	const (
		prefix = `(?:da|[yzafpnuµμmcdhkKMGT])?`
		base   = `(?:m|g|s|A|K|mol|cd|Hz|N|Pa|J|W|C|V|F|Ω|Ohm|ohm|S|Wb|H|lm|lx|Bq|Gy|Sv|kat|L|l|t|bar|eV|Wh|VA|VAr|var|Ah|B|b|bit|Byte|rad|sr|cal|rpm)`
		other  = `(?:°[CFKR]?|deg[CFK]?|degrees?|celsius|Celsius|[%‰]|percent|ppm|ppb|min|h|hr|hrs|d|day|days|sec|secs|second|seconds|minutes|hours|ms|years?|psi|atm|Torr|mmHg|inHg|in|ft|yd|mi|mph|kph|kn|kt|lb|lbs|oz|gal|gpm|hp|PS|BTU|U|rev|turns|counts?|cnt|pcs|Stk|dB|dBm|dBA|pH|NTU|FNU|EUR|USD|€|\$|r|Nm3|Nm³|Sm3|rh|RH|bool|int|float|double|string|text|mV)`
		power  = `(?:\^?[-+−]?[0-9]|[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]|\*\*-?[0-9])*`
		factor = `(?:` + prefix + base + `|` + other + `)` + power
		whole  = `\(?` + factor + `(?:[ /·*.⋅×]\(?` + factor + `\)?)*\)?`
	)
	return regexp.MustCompile(`^(?:` + whole + `|\[[^\]]*\]|\([^)]*\))$`)
}()

// isUnit reports whether a cell is a unit.
func isUnit(cell string) bool {
	cell = withSigns(cell)
	return len(cell) <= 24 && unit.MatchString(cell)
}

// measured matches a number with what may be its unit.
var measured = regexp.MustCompile(`^[+-]?\d+(?:[.,]\d+)*[ \x{00a0}\x{202f}]?([^\d\s].*)$`)

// hasUnit reports whether a cell is a number with a unit behind it.
func hasUnit(cell string) bool {
	parts := measured.FindStringSubmatch(withSigns(strings.TrimSpace(cell)))
	return parts != nil && isUnit(parts[1])
}

// withSigns returns a cell in UTF-8, because its degree and micro signs may be in Latin-1.
func withSigns(cell string) string {
	if utf8.ValidString(cell) {
		return cell
	}
	return strings.ReplaceAll(strings.ReplaceAll(cell, "\xb0", "°"), "\xb5", "µ")
}

// hasUnits reports whether the first row below a header holds units: it has no numbers, at
// least one unit, and a unit or nothing in each column with numbers.
func hasUnits(rows []record) bool {
	if len(rows) < 2 {
		return false
	}
	some := false
	for i, c := range rows[0].cells {
		c = strings.TrimSpace(c)
		if isNumeric(c) {
			return false
		}
		measured := slices.ContainsFunc(rows[1:], func(r record) bool { return i < len(r.cells) && isNumeric(strings.TrimSpace(r.cells[i])) })
		if !measured || strings.Trim(c, "-") == "" {
			continue
		}
		if !isUnit(c) || isMark(c) {
			return false
		}
		some = true
	}
	return some
}
