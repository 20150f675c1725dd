package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/collabdict/collabdict/netsim"
)

// values holds the values of one word, which are taken one by one. The method end returns the
// first error, or an error for a value that nobody has taken.
type values struct {
	word
	members []string
	taken   map[string]bool
	err     error
}

func (v *values) wrong(key, want string, got any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s, %s: %s: want %s, got %q", v.where, v.name, key, want, got)
	}
}

func (v *values) get(key string) (string, bool) {
	v.taken[key] = true
	for _, p := range v.values {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

func (v *values) need(key, want string) string {
	text, found := v.get(key)
	if !found {
		v.wrong(key, want, "")
	}
	return text
}

// end returns the first error, or an error for an unknown value.
func (v *values) end() error {
	for _, p := range v.values {
		if !v.taken[p.key] {
			known := make([]string, 0, len(v.taken))
			for key := range v.taken {
				known = append(known, key)
			}
			slices.Sort(known)
			v.wrong(p.key, strings.Join(known, ", "), p.value)
		}
	}
	return v.err
}

const wantTime = "a time such as 500ms, 30s or 2m"

func (v *values) time(key string, otherwise time.Duration) time.Duration {
	text, found := v.get(key)
	if !found {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		v.wrong(key, wantTime, text)
	}
	return d
}

func (v *values) needTime(key string) time.Duration {
	v.need(key, wantTime)
	return v.time(key, 0)
}

func (v *values) number(key string, least, most float64) float64 {
	want := fmt.Sprintf("a number from %g to %g", least, most)
	text := v.need(key, want)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) {
		v.wrong(key, want, text)
	}
	return x
}

func (v *values) numberOr(key string, least, most, otherwise float64) float64 {
	if _, found := v.get(key); !found {
		return otherwise
	}
	return v.number(key, least, most)
}

func (v *values) rate() float64 { return v.number("rate", 0, 1) }

func (v *values) wantMember() string {
	return fmt.Sprintf("a member's name or a number from 1 to %d", len(v.members))
}

// node returns a member's rank.
func (v *values) node() int {
	text := v.need("node", v.wantMember())
	rank, err := v.member(text)
	if err != nil {
		v.wrong("node", v.wantMember(), text)
	}
	return rank
}

func (v *values) member(text string) (int, error) {
	if i := slices.Index(v.members, text); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(v.members) {
		return n - 1, nil
	}
	return 0, errors.New("no such member")
}

// list returns the ranks of some members, given as 1-4+7 or as names joined by +.
func (v *values) list(key, text string) []int {
	var ranks []int
	for _, item := range strings.Split(text, "+") {
		rank, err := v.member(item)
		if err == nil {
			ranks = append(ranks, rank)
			continue
		}
		from, to, _ := strings.Cut(item, "-")
		a, err1 := v.member(from)
		b, err2 := v.member(to)
		if err1 != nil || err2 != nil || a > b {
			v.wrong(key, "members such as 1-4+7, of "+strconv.Itoa(len(v.members)), text)
			return nil
		}
		for ; a <= b; a++ {
			ranks = append(ranks, a)
		}
	}
	return ranks
}

// nodes returns the members of a word; nil means all.
func (v *values) nodes() []int {
	text, found := v.get("nodes")
	if !found {
		if text, found = v.get("node"); !found {
			return nil
		}
	}
	return v.list("nodes", text)
}

// when reads at, round and for: at is a time from the start, or from the round if that is
// given.
func (v *values) when() netsim.When {
	w := netsim.When{At: v.time("at", 0), For: v.time("for", 0)}
	if text, found := v.get("round"); found {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil || n < 1 {
			v.wrong("round", "a round of at least 1", text)
		}
		w.Round = uint32(n)
	}
	return w
}

// choice reads a value from a list of words.
func (v *values) choice(key string, of ...string) string {
	text, found := v.get(key)
	if !found {
		return of[0]
	}
	if !slices.Contains(of, text) {
		v.wrong(key, strings.Join(of, " or "), text)
	}
	return text
}

// bytes reads bytes per second, such as 10k, 2.5M or 1G.
func (v *values) bytes(key string) float64 {
	text, found := v.get(key)
	if !found {
		return 0
	}
	scale := 1.0
	bare := text
	for unit, s := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if cut, has := strings.CutSuffix(text, unit); has {
			bare, scale = cut, s
		}
	}
	x, err := strconv.ParseFloat(bare, 64)
	if err != nil || !(x > 0 && x < 1e15) {
		v.wrong(key, "bytes per second such as 500k, 10M or 1G", text)
	}
	return x * scale
}
