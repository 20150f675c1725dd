package report

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// Verdict reports whether a participant's scores find more with the others than without: the blend
// that score uses, against own model and own rows alone. Neither was trained on the rows that it
// rests on.
type Verdict struct {
	// By is faults if it rests on those among its test rows with labels; otherwise exchanged: on
	// held-out rows in which one value is another row's.
	By   string `json:"by"`
	Rows int    `json:"rows"` // faults, or held-out rows whose values were exchanged
	// Together and Alone are the areas under the ROC curves: the shares of pairs of such a row and
	// a normal one in which the former scores higher.
	Together Figure `json:"together,omitzero"`
	Alone    Figure `json:"alone,omitzero"` // as Together
	Error    Figure `json:"error,omitzero"` // the half-width of the 95 % confidence interval of their difference
	// FoundTogether and FoundAlone are the numbers of faults found at one false alarm in a hundred.
	FoundTogether int `json:"found_together,omitempty"`
	FoundAlone    int `json:"found_alone,omitempty"` // as FoundTogether
	// Better is together or alone if it finds more, beyond chance; same if a difference that
	// matters is ruled out; otherwise empty, as rows are too few or the figures disagree.
	Better string `json:"better,omitempty"`

	share float64 // of false alarms at which faults found are counted; 0 for FoundAt
}

// The values of Verdict.By.
const (
	ByFaults    = "faults"
	ByExchanged = "exchanged"
)

// The values of Verdict.Better, besides "".
const (
	ByTogether = "together"
	ByAlone    = "alone"
	Same       = "same"
)

const (
	// matters is the smallest difference of exchanged rows that matters: on real faults, smaller ones
	// have either sign.
	matters = 0.02
	// leastGain is the smallest difference of faults that matters.
	leastGain = 0.01
	// leastSame is the number of rows below which an equal result is no evidence.
	leastSame = 20
)

// FoundAt is the share of false alarms at which faults found are counted, unless another is given.
const FoundAt = 0.01

// Judge sets all but the first two fields, given the scores with the others and alone, and the share of false
// alarms at which faults found are counted. It returns false if there are no rows to compare.
func (v *Verdict) Judge(p *metrics.Paired, share float64) bool {
	v.share = share
	if len(p.Anomalies[0]) == 0 || len(p.Normals[0]) == 0 {
		return false
	}
	least, found := matters, 0
	if v.By == ByFaults {
		n := p.Found(share)
		v.FoundTogether, v.FoundAlone = n[0], n[1]
		found, least = n[0]-n[1], 0
	}
	areas, half, ok := p.AUC()
	if !ok {
		return true
	}
	v.Together, v.Alone, v.Error = Of(areas[0]), Of(areas[1]), Of(half)
	gain := areas[0] - areas[1]
	switch {
	case gain-half > least && gain > leastGain && found >= 0:
		v.Better = ByTogether
	case gain+half < -least && gain < -leastGain && found <= 0:
		v.Better = ByAlone
	case v.Rows >= leastSame && max(gain, -gain)+half < 2.5*matters:
		v.Better = Same
	}
	return true
}

// Sentence returns the verdict in words.
func (v *Verdict) Sentence() string {
	if !v.Error.Defined && (v.By == ByExchanged || v.Rows == 0) {
		return "too few rows of its own to say whether together is better"
	}
	return v.Figures("alone", "held-out rows") + ": " + v.Word()
}

// Figures returns what is found in words: alone is the name of what the others are compared with, and rows
// that of those whose values were exchanged.
func (v *Verdict) Figures(alone, rows string) string {
	at := "one false alarm in a hundred"
	if v.share > 0 && v.share != FoundAt {
		at = fmt.Sprintf("false alarms in 1 of %.4g rows", 1/v.share)
	}
	switch {
	case v.By == ByFaults && !v.Error.Defined:
		return fmt.Sprintf("finds %d of %d faulty rows at %s; %s %d (in successive rows, so they count as one)", v.FoundTogether, v.Rows, at, alone, v.FoundAlone)
	case v.By == ByFaults:
		return fmt.Sprintf("finds %d of %d faulty rows at %s; %s %d (ROC-AUC %s, %s %s, ± %s)",
			v.FoundTogether, v.Rows, at, alone, v.FoundAlone, Fixed(v.Together.Value, 2), alone, Fixed(v.Alone.Value, 2), Fixed(v.Error.Value, 2))
	}
	return fmt.Sprintf("puts %s %% of test faults above normal rows; %s %s %% (± %s; one value of each of %d %s was exchanged with another row's)",
		Fixed(100*v.Together.Value, 1), alone, Fixed(100*v.Alone.Value, 1), Fixed(100*v.Error.Value, 1), v.Rows, rows)
}

// Needed returns the number of normal rows, given the present number, that would show a difference that matters;
// 0 if these are enough, or if the verdict rests on faults.
func (v *Verdict) Needed(rows int) int {
	if v.By == ByFaults || !v.Error.Defined || v.Error.Value <= matters && rows >= leastSame {
		return 0
	}
	by := v.Error.Value / matters
	return max(leastSame, int(math.Ceil(float64(float64(rows)*by*by))))
}

// Counts returns what is found with the others and alone, for a table: numbers of faults, or areas
// in percent.
func (v *Verdict) Counts() (together, alone string) {
	switch {
	case v.By == ByFaults:
		return fmt.Sprintf("%d of %d", v.FoundTogether, v.Rows), fmt.Sprintf("%d of %d", v.FoundAlone, v.Rows)
	case !v.Error.Defined:
		return "", ""
	}
	return Fixed(100*v.Together.Value, 1), Fixed(100*v.Alone.Value, 1)
}

// Word returns Better in words.
func (v *Verdict) Word() string {
	switch v.Better {
	case ByTogether:
		return "together is better"
	case ByAlone:
		return "alone is better"
	case Same:
		return "no difference that matters"
	}
	return "which is better is not clear"
}

// Verdict returns a participant's verdict, nil if it has none.
func (p Participant) Verdict() *Verdict {
	if p.HeldOut == nil {
		return nil
	}
	return p.HeldOut.Verdict
}

// Gains reports in words the number of participants that gain by learning together. It returns
// "" for fewer than two with a verdict.
func (r *Run) Gains() string {
	better, n := map[string]int{}, 0
	for _, p := range r.Participants {
		if v := p.Verdict(); v != nil {
			better[v.Better]++
			n++
		}
	}
	if n < 2 {
		return ""
	}
	s := fmt.Sprintf("of %d participants, together is better for %d and alone for %d", n, better[ByTogether], better[ByAlone])
	if k := better[Same]; k > 0 {
		s += fmt.Sprintf("; for %d there is no difference that matters", k)
	}
	if k := better[""]; k > 0 {
		s += fmt.Sprintf("; for %d it is not clear, as by chance either could be better", k)
	}
	if better[ByTogether]+better[""] == 0 {
		s += ": sharing shows no gain here"
	}
	return s
}
