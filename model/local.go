package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/local"
)

// LocalFile is the name of the file beside the model's that holds a participant's local part: a
// model of its own rows, and some of these rows.
const LocalFile = "local.npz"

const localFormat = "collabdict local part"

// The scores that a model with a local part can give.
const (
	Shared = "shared" // by the shared model
	Alone  = "alone"  // by a model of the participant's rows alone and by its nearest rows
	Blend  = "blend"  // by both models and by the nearest rows of the participant
)

// favouredWeight is the weight of one of two models in a blend, where the others have 1: of the shared
// one, unless held-out rows show that the participant is unlike the others. It is high but not
// everything: the model that describes normal rows better need not find anomalies better.
const favouredWeight = 4

// nearest is the name of the scorer by the participant's nearest rows.
const nearest = "nearest"

// Local is the local part: what a participant uses to score rows besides the shared model. It
// is in no model file, and exported files do not hold it.
type Local struct {
	Alone   algorithm.Scorer // model of the participant's rows alone; nil if that is the shared model
	Nearest *Nearest         // by the participant's training rows
	// Scores are those of own rows by the shared model, by Alone if not nil, and by Nearest, in
	// one order of rows, the Held rows that were held out last. Calibrations follow from them.
	Scores       [][]float64
	Held         int
	Calibrations []*Calibration
	// Better is [Shared] or [Alone] if held-out rows show that this model describes them better
	// than the other, beyond chance; otherwise it is empty.
	Better string
	// Scores above these thresholds are anomalies. [Model.SetThresholds] computes them.
	AloneThreshold, BlendThreshold float64
}

// Ensemble returns the scorer that blends all of them or, for [Alone], those that need no other
// participant. The latter is the same without a model Alone, as the shared one then is of the own
// rows.
func (l *Local) Ensemble(shared algorithm.Scorer, scores string) *Ensemble {
	e := &Ensemble{}
	add := func(name string, s local.Scorer, calibration int) {
		m := local.Member{Name: name, Scorer: s, Calibration: l.Calibrations[calibration], Weight: 1}
		if name == l.favoured() && scores == Blend {
			m.Weight = favouredWeight
		}
		e.Members = append(e.Members, m)
	}
	if first := l.first(scores); first == 0 {
		add(Shared, shared, 0)
	}
	if l.Alone != nil {
		add(Alone, l.Alone, 1)
	}
	add(nearest, l.Nearest, len(l.Calibrations)-1)
	return e
}

// favoured returns the model that weighs more in a blend, or nothing if there is only one.
func (l *Local) favoured() string {
	switch {
	case l.Alone == nil:
		return ""
	case l.Better == Alone:
		return Alone
	}
	return Shared
}

// first returns the index of the first scorer of an ensemble.
func (l *Local) first(scores string) int {
	if scores == Alone && l.Alone != nil {
		return 1
	}
	return 0
}

// Own returns the scores of the own rows, each compared with the others, by [Shared], [Alone] or
// [Blend].
func (l *Local) Own(scores string) []float64 {
	if scores == Shared {
		return l.Scores[0]
	}
	return local.Own(l.Ensemble(nil, scores), l.Scores[l.first(scores):])
}

// LeftOut returns the scores of the kept rows of Nearest, each by the participant's models and rows without
// it: those by [Alone] or [Blend], and its surprises at the members of the ensemble, one column each. ok is
// false if a model cannot leave rows out, and for [Shared], whose scores all participants have in common.
func (l *Local) LeftOut(scores string) (of []float64, surprises *mat.Dense, ok bool) {
	n, _ := l.Nearest.Rows().Dims()
	if len(l.Scores[0]) != n+l.Held || scores == Shared {
		return nil, nil, false
	}
	of = l.Own(scores)[:n]
	e := l.Ensemble(nil, scores)
	surprises = mat.NewDense(n, len(e.Members), nil)
	for j, m := range e.Members {
		for i, v := range l.Scores[l.first(scores)+j][:n] {
			surprises.Set(i, j, m.OwnSurprise(v))
		}
	}
	return of, surprises, true
}

// blended is the shared model with the scores of an ensemble.
type blended struct {
	algorithm.Scorer
	*Ensemble
}

// EachScores calls f with the scores of the ensemble.
func (b blended) EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error {
	return b.Ensemble.EachScores(rows, f)
}

// With selects the scores from now on: [Shared], [Alone] or [Blend]. A model without a local
// part has only the first.
func (m *Model) With(scores string) error {
	switch {
	case scores != Shared && scores != Alone && scores != Blend:
		return fmt.Errorf("want %s, %s or %s, got %q", Shared, Alone, Blend, scores)
	case m.Scorer() == nil:
		return fmt.Errorf("a model of kind %s gives no scores", m.Manifest.Kind)
	case scores != Shared && m.Local == nil:
		return fmt.Errorf("%s scores need the file %s beside the model, but there is none", scores, LocalFile)
	}
	m.with = scores
	return nil
}

// Ensemble returns the scorer of blended scores, or nil if the model's scores are not blended.
func (m *Model) Ensemble() *Ensemble {
	by := m.ScoredBy()
	if by == Shared {
		return nil
	}
	return m.Local.Ensemble(m.Learned.(algorithm.Scorer), by)
}

// Explainer returns the model that explains scores, or nil if none does. It is the model of the
// participant's rows alone if that scores rows, and otherwise the shared one.
func (m *Model) Explainer() algorithm.Explainer {
	of := m.Learned
	if m.ScoredBy() == Alone && m.Local.Alone != nil {
		of = m.Local.Alone
	}
	e, _ := of.(algorithm.Explainer)
	return e
}

// ScoredBy returns the kind of scores that the model gives: [Shared], [Alone] or [Blend].
func (m *Model) ScoredBy() string {
	switch {
	case m.Local == nil:
		return Shared
	case m.with == "":
		return Blend
	}
	return m.with
}

// Threshold returns the score above which a row is an anomaly, for the scores that the model
// gives. It is NaN if there is none.
func (m *Model) Threshold() float64 {
	switch m.ScoredBy() {
	case Blend:
		return m.Local.BlendThreshold
	case Alone:
		return m.Local.AloneThreshold
	}
	return m.Manifest.Threshold
}

// ThresholdFor returns the threshold that at most the given share of rows like the participant's
// own exceeds, for the scores that the model gives. enough is false if there are too few own rows
// for that share. ok is false without the local part.
func (m *Model) ThresholdFor(share float64) (limit float64, enough, ok bool) {
	if m.Local == nil {
		return 0, false, false
	}
	limit, enough = m.Local.limit(m.ScoredBy(), share, m.Manifest.FalseAlarm)
	return limit, enough, true
}

// limit returns the threshold for a share of false alarms, where the model promises another. The limit
// of a smaller share is never lower: all come from the held-out rows if these suffice for the model's
// share, and from all own rows otherwise. A share too small for the held-out rows alone takes all own
// rows, but at least the largest held-out score.
func (l *Local) limit(scores string, share, promised float64) (limit float64, enough bool) {
	own := l.Own(scores)
	if l.Held == 0 {
		return local.HeldLimit(own, 0, share)
	}
	tail := own[len(own)-l.Held:]
	if _, kept := local.Limit(tail, promised); !kept {
		return local.HeldLimit(own, 0, share)
	}
	limit, enough = local.HeldLimit(own, l.Held, share)
	if largest, kept := local.Limit(tail, share); !kept {
		limit = max(limit, min(largest, math.MaxFloat64))
	}
	return limit, enough
}

// SetThresholds computes the thresholds for the share of false alarms that the model promises.
// enough is false if the own rows are too few for that share.
func (m *Model) SetThresholds() (enough bool) {
	l, share := m.Local, m.Manifest.FalseAlarm
	l.AloneThreshold, _ = l.limit(Alone, share, share)
	l.BlendThreshold, enough = l.limit(Blend, share, share)
	return enough
}

// localManifest describes a local part.
type localManifest struct {
	Format      string `json:"format"` // "collabdict local part"
	Version     int    `json:"version"`
	Participant string `json:"participant"`
	Model       string `json:"model"`            // SHA-256 of what the model has learned
	Alone       bool   `json:"alone"`            // whether there is a model of the participant's rows alone
	Better      string `json:"better,omitempty"` // as in Local
}

// digest identifies what a model has learned.
func (m *Model) digest() string {
	h := sha256.New()
	arrays := m.Learned.Arrays()
	if p := m.Personal(); p != nil {
		arrays = append(arrays, p.OwnArrays()...)
	}
	for _, a := range append(arrays, scalingArrays(m.Scaling)...) {
		fmt.Fprintf(h, "%s %v\n", a.Name, a.Shape)
		var b []byte
		for _, v := range a.Values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		for _, v := range a.Ints {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// WriteLocalFile writes the local part of a model, which must have one. Only the owner may read the
// file.
func WriteLocalFile(path string, m *Model) error {
	return files.Write(path, 0o600, m.WriteLocal)
}

// ofAlone is the prefix of the arrays of the model of the participant's rows alone.
const ofAlone = "alone_"

// WriteLocal writes the local part; see [WriteLocalFile].
func (m *Model) WriteLocal(out io.Writer) error {
	l := m.Local
	text, err := json.MarshalIndent(localManifest{Format: localFormat, Version: 2, Participant: m.Manifest.Participant, Model: m.digest(), Alone: l.Alone != nil, Better: l.Better}, "", "  ")
	if err != nil {
		return err
	}
	w := npz.NewWriter(out)
	if err := w.File(manifest, append(text, '\n')); err != nil {
		return err
	}
	x := l.Nearest.Rows()
	n, dim := x.Dims()
	scored := len(l.Scores[0])
	arrays := []algorithm.Array{
		{Name: "rows", Shape: []int{n, dim}, Values: mat.DenseCopyOf(x).RawMatrix().Data},
		{Name: "calibrations", Shape: []int{len(l.Scores), scored}},
		{Name: "held", Ints: []int64{int64(l.Held)}, Shape: []int{1}},
	}
	for _, scores := range l.Scores {
		arrays[1].Values = append(arrays[1].Values, scores...)
	}
	if l.Alone != nil {
		own := l.Alone.Arrays()
		if p, ok := l.Alone.(algorithm.Personal); ok {
			own = append(own, p.OwnArrays()...)
		}
		for _, a := range own {
			a.Name = ofAlone + a.Name
			arrays = append(arrays, a)
		}
	}
	if err := putArrays(w, arrays); err != nil {
		return err
	}
	return w.Close()
}

// ReadLocalFile adds the participant's local part to a model that was read from a file.
// [WriteLocalFile] has written the local part. Errors are of type *Error.
func (m *Model) ReadLocalFile(path string) error {
	return readPart(path, "use the file of this model, or score rows with --with shared", m.ReadLocal)
}

// ReadLocal is like [Model.ReadLocalFile], for a reader of size bytes. After an error the model
// is unchanged.
func (m *Model) ReadLocal(r io.ReaderAt, size int64) error {
	if m.Scorer() == nil {
		return fmt.Errorf("want a model that gives scores, got one of kind %s", m.Manifest.Kind)
	}
	var of localManifest
	a, err := openPart(r, size, &of)
	if err != nil {
		return err
	}
	switch {
	case of.Format != localFormat || of.Version != 1 && of.Version != 2: // version 1 has thresholds, too
		return fmt.Errorf("%s: want format %q of version 2, got %q of version %d", manifest, localFormat, of.Format, of.Version)
	case of.Model != m.digest():
		return fmt.Errorf("want the local part of this model (SHA-256 %.12s), got one of another (%.12s)", m.digest(), of.Model)
	}
	if of.Better != "" && !(of.Alone && (of.Better == Shared || of.Better == Alone)) {
		return fmt.Errorf("%s: want better to be %s or %s of two models, got %q", manifest, Shared, Alone, of.Better)
	}
	l, err := m.readLocal(arrays{a}, of.Alone)
	if err == nil {
		l.Better = of.Better
		m.Local = l
		m.SetThresholds()
	}
	return err
}

func (m *Model) readLocal(a arrays, alone bool) (*Local, error) {
	l := &Local{}
	x, shape, err := a.Values("rows", -1, m.Dim())
	if err != nil {
		return nil, err
	}
	if shape[0] < 2 || slices.ContainsFunc(x, func(v float64) bool { return !finite(v) }) {
		return nil, fmt.Errorf("rows: want at least 2 rows of finite values, got %d", shape[0])
	}
	l.Nearest = local.NewNearest(mat.NewDense(shape[0], m.Dim(), x))
	members := 2
	if alone {
		members++
	}
	scores, shape, err := a.Values("calibrations", members, -1)
	if err != nil {
		return nil, err
	}
	if shape[1] == 0 || slices.ContainsFunc(scores, math.IsNaN) {
		return nil, fmt.Errorf("calibrations: want the scores of at least 1 row, got %d", shape[1])
	}
	for i := range members {
		of := scores[i*shape[1] : (i+1)*shape[1]]
		l.Scores, l.Calibrations = append(l.Scores, of), append(l.Calibrations, local.Calibrate(of))
	}
	if l.Held, err = held(a, shape[1]); err != nil {
		return nil, err
	}
	if alone {
		l.Alone, err = m.readAlone(prefixed{a, ofAlone})
	}
	return l, err
}

// held reads the number of held-out rows among the scored ones.
func held(a arrays, rows int) (int, error) {
	v, _, err := a.Ints("held", 1)
	if err == nil && (v[0] < 0 || v[0] > int64(rows)) {
		err = fmt.Errorf("held: want 0 to %d rows, got %d", rows, v[0])
	}
	if err != nil {
		return 0, err
	}
	return int(v[0]), nil
}

// readAlone reads the model of the participant's rows, which has the same kind and options.
func (m *Model) readAlone(a algorithm.Arrays) (algorithm.Scorer, error) {
	learned, err := m.load(a, m.Dim())
	if err != nil {
		return nil, err
	}
	if p, ok := learned.(algorithm.Personal); ok {
		if err := p.LoadOwn(a); err != nil {
			return nil, err
		}
	}
	return learned.(algorithm.Scorer), nil
}

// prefixed reads arrays whose names have a prefix.
type prefixed struct {
	algorithm.Arrays
	prefix string
}

// Values returns an array of numbers.
func (p prefixed) Values(name string, shape ...int) ([]float64, []int, error) {
	return p.Arrays.Values(p.prefix+name, shape...)
}

// Ints returns an array of whole numbers.
func (p prefixed) Ints(name string, shape ...int) ([]int64, []int, error) {
	return p.Arrays.Ints(p.prefix+name, shape...)
}

// Has reports whether an array of the name exists.
func (p prefixed) Has(name string) bool { return p.Arrays.Has(p.prefix + name) }
