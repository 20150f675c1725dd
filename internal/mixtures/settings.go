// Package mixtures holds settings that several mixture algorithms share: the form of covariance
// matrices ([Covariance]), the settings of EM ([EM]), and the seed ([Seed]).
package mixtures

import (
	"crypto/sha256"
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/option"
)

// MostComponents is the maximum number of components.
const MostComponents = 1 << 12

// Covariance returns the option that sets p to the name of one of the forms.
func Covariance(p *string, byDefault gmm.Covariance, forms ...gmm.Covariance) *option.Option {
	var names []string
	for _, f := range forms {
		names = append(names, f.String())
	}
	return option.String(p, "covariance", byDefault.String(), "`FORM` of each component's covariance matrix (full lets columns correlate, and needs the most rows): "+option.Either(names...), option.OneOf(names...))
}

// Form returns the form of a valid name.
func Form(covariance string) gmm.Covariance {
	form, err := gmm.ParseCovariance(covariance)
	if err != nil {
		panic("gmm: covariance: " + err.Error())
	}
	return form
}

// Tol returns the option for a tolerance in nats per row.
func Tol(p *float64) *option.Option {
	return option.Float(p, "tol", 1e-3, "stop when a round changes the mean log-likelihood, or the lower bound of it that is trained, by less than `X` nats per row; 0 runs all rounds", option.Finite())
}

// EM returns the settings of expectation maximisation. With a tol of 0 it never stops early.
func EM(covariance string, tol float64) gmm.EM {
	if tol == 0 {
		tol = -1
	}
	return gmm.EM{Form: Form(covariance), Tol: tol}
}

// Seed returns the public seed of starts.
func Seed(seed uint64) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "collabdict/task/seed/%d", seed))
}

// Conserved returns what every sum of EM statistics reveals.
func Conserved(covariance string) algorithm.Conserved {
	if Form(covariance) == gmm.Full {
		return algorithm.Covariances
	}
	return algorithm.Variances
}

// Load returns the mixture stored in arrays.
func Load(arrays algorithm.Arrays, covariance string, coordinates int) (algorithm.Model, error) {
	form, err := gmm.ParseCovariance(covariance)
	if err != nil {
		return nil, option.Errorf("covariance", "%v", err)
	}
	m, err := gmm.LoadMixture(arrays, "", form, coordinates)
	if err != nil {
		return nil, err
	}
	return m, nil
}
