package dpem

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Config holds the settings of a [Learner]. Except for Source, all members must use the same
// values.
type Config struct {
	Components int // K, at least 1
	Form       string
	// Middle and Clip bound the values of all columns, without a look at the rows: values
	// farther than Clip from Middle are moved to the bound.
	Middle, Clip float64
	// Loss is the privacy loss of all rounds together. 0 means no noise, for a participant that
	// learns alone.
	Loss privacy.ZCDP
	// Rounds is at least [LeastRounds].
	Rounds int
	// Quorum is the smallest number of members in a total, and Colluders the number of them
	// that may reveal their noise to each other.
	Quorum, Colluders int
	Seed              uint64      // public
	Source            rand.Source // of the noise
}

// mostRows is the maximum number of rows of a member, so that bounds of sums need not reveal
// the actual number.
const mostRows = 1 << 24

// Learner makes the rounds of one participant.
type Learner struct {
	rows    *passes.Reader
	config  Config
	group   collabdict.Group
	account *privacy.Account
	members int // number of members for which the next vector's noise is planned
	key     privacy.Key
	made    int // rounds
	phase   phase
	mixture *Mixture // nil before the first round of EM
}

var (
	_ collabdict.Learner  = (*Learner)(nil)
	_ collabdict.Digester = (*Learner)(nil)
)

// phase defines the vector of each row in the next round.
type phase interface {
	// len returns the length of a row's vector.
	len() int
	// sum adds up the vectors of rows, each with a Euclidean norm of at most 1.
	sum(r *passes.Reader) ([]float64, error)
	// next returns the next phase and, once there is one, the mixture. The noise in each value
	// of total has the standard deviation sd. The result change is the mean distance by which
	// components moved, in standard deviations; 1 before there are any.
	next(total []float64, sd float64) (after phase, m *Mixture, change float64, err error)
	// parameters returns everything that vectors depend on besides the rows.
	parameters() []float64
}

// newLearner returns a learner on a participant's rows. Each round reads them once.
func newLearner(rows gmm.Rows, c Config) (*Learner, error) {
	n, dim := rows.Dims()
	switch {
	case n == 0 && c.Loss == 0 || dim == 0: // with noise, nobody may learn that there are no rows
		return nil, fmt.Errorf("rows: want at least 1 row and 1 column, got %d by %d", n, dim)
	case n > mostRows:
		return nil, fmt.Errorf("rows: want at most %d with epsilon, got %d", mostRows, n)
	case c.Components < 1 || c.Rounds < LeastRounds || !(c.Clip > 0):
		panic("dpem: a setting is out of range")
	case c.Loss > 0 && c.Source == nil:
		panic("dpem: want a source of noise")
	}
	if c.Loss == 0 { // otherwise the others would see that one row ends the run; it is clipped
		if err := gmm.CheckRows(rows); err != nil {
			return nil, err
		}
	}
	l := &Learner{rows: passes.NewReader(rows), config: c}
	if c.Source != nil {
		l.key = privacy.NewKey(c.Source)
	}
	return l, nil
}

// Start opens the account. It reveals nothing about rows.
func (l *Learner) Start(_ context.Context, g collabdict.Group) error {
	l.group, l.members = g, g.Membership().Size
	l.account = privacy.NewAccount(l.config.Loss, weights(l.config.Rounds), min(l.config.Quorum, l.members), l.config.Colluders)
	l.phase = newMeans(l.config, l.rows.Dim)
	return nil
}

// Mixture returns the mixture after the last round, or nil before there is one.
func (l *Learner) Mixture() *Mixture { return l.mixture }

// Entry names the totals of a [Learner].
const Entry collabdict.Entry = "noisy totals"

// Item describes the totals of a [Learner].
func Item() algorithm.Item {
	return algorithm.Item{
		Entry: Entry, What: "sums of clipped rows, and of their products, for each component",
		Form: algorithm.Summed, When: algorithm.EachRound, Hidden: "noise for differential privacy", Epsilon: algorithm.Covered,
	}
}

// Digest implements [collabdict.Digester]. It includes the account, because members with
// different accounts would add different noise.
func (l *Learner) Digest() [32]byte {
	h := sha256.New()
	for _, v := range append([]float64{float64(l.account.Left()), float64(l.members)}, l.phase.parameters()...) {
		_ = binary.Write(h, binary.BigEndian, v)
	}
	return [32]byte(h.Sum(nil))
}

// LocalUpdate returns the sum over the own rows, with this participant's part of the noise. A
// round that is computed again gets the same noise.
func (l *Learner) LocalUpdate() (collabdict.Summand, error) {
	x, err := l.phase.sum(l.rows)
	if err != nil {
		return collabdict.Summand{}, err
	}
	bound := float64(mostRows)
	if l.config.Loss > 0 {
		const tails = 40 // standard deviations that no draw exceeds
		part := l.account.Part(l.noise(), l.members)
		privacy.NewDiscrete(part).Add(x, l.key.Source("round ", l.made))
		bound += tails * part
	}
	return collabdict.Summand{Entry: Entry, Values: x, Blocks: []collabdict.Block{{Len: len(x), Bound: bound, Moment: collabdict.Noisy}}}, nil
}

// noise returns the standard deviation of the noise in the next total if no member is lost.
func (l *Learner) noise() float64 {
	if l.config.Loss == 0 {
		return 0
	}
	return l.account.Plan(l.members).DiscreteDeviation(1, l.phase.len())
}

// Optimize computes the next parameters from a total. The objective is the distance by which
// they moved.
func (l *Learner) Optimize(total []float64, _ bool) (change float64, err error) {
	if want := l.phase.len(); len(total) != want {
		return 0, fmt.Errorf("want a total of %d values, got %d", want, len(total))
	}
	for i, v := range total {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("want a total of finite values, got %g as value %d", v, i+1)
		}
	}
	in, sd := l.group.Membership().Size, 0.0
	if quorum := min(l.config.Quorum, l.members); in < quorum {
		return 0, fmt.Errorf("want a total of at least %d members, the quorum that the noise was planned for, got one of %d: this member sends nothing more", quorum, in)
	}
	if l.config.Loss > 0 {
		sd = l.account.Remaining(l.noise(), l.members, in)
	}
	after, m, change, err := l.phase.next(total, sd)
	if err != nil {
		return 0, err
	}
	if m != nil {
		l.mixture = m
	}
	if l.config.Loss > 0 {
		l.account.Spend(l.account.Plan(l.members), l.members, in)
	}
	l.phase, l.members = after, in
	l.made++
	return change, nil
}
