package mixture

import (
	"bytes"
	"encoding/gob"
	"errors"
)

var errSizes = errors.New("mixture: the numbers of values do not fit the shape")

// A shape has the sizes of a model or of sums.
type shape struct {
	K, M int
	Full bool
}

type encodedModel struct {
	Shape             shape
	LogWeights, Norms []float64
	Means, Factors    []float64
}

// GobEncode implements gob.GobEncoder, for models that go to other machines.
func (x *Model) GobEncode() ([]byte, error) {
	return encode(encodedModel{shape{x.k, x.m, x.full}, x.logw, x.norm, x.means, x.factors})
}

// GobDecode implements gob.GobDecoder.
func (x *Model) GobDecode(text []byte) error {
	var e encodedModel
	err := decode(text, &e)
	*x = Model{k: e.Shape.K, m: e.Shape.M, full: e.Shape.Full, logw: e.LogWeights, norm: e.Norms, means: e.Means, factors: e.Factors}
	if err == nil && (len(x.logw) != x.k || len(x.norm) != x.k || len(x.means) != x.k*x.m || len(x.factors) != x.k*x.factor()) {
		err = errSizes
	}
	return err
}

type encodedSums struct {
	Shape  shape
	LogLik float64
	Sums   []float64
}

// GobEncode implements gob.GobEncoder, for sums that come from other machines.
func (s *Sums) GobEncode() ([]byte, error) {
	return encode(encodedSums{shape{s.k, s.m, s.full}, s.logLik, s.sums})
}

// GobDecode implements gob.GobDecoder.
func (s *Sums) GobDecode(text []byte) error {
	var e encodedSums
	err := decode(text, &e)
	*s = Sums{k: e.Shape.K, m: e.Shape.M, full: e.Shape.Full, logLik: e.LogLik, sums: e.Sums}
	if err == nil && len(s.sums) != s.k*s.size() {
		err = errSizes
	}
	return err
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(text []byte, v any) error { return gob.NewDecoder(bytes.NewReader(text)).Decode(v) }
