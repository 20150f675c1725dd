package task

import (
	"context"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
)

// learner learns a model at one participant.
type learner interface {
	// train learns with the group and calls after at the end of each round. It returns
	// the last round completed.
	train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (collabdict.Round, error)
	// progress returns what there is to tell of the last round.
	progress(r collabdict.Round) Progress
	// state is what the rounds completed have come to.
	state() state
}

// state is what a participant holds after a round.
type state struct {
	scorer     model.Scorer
	classifier model.Classifier // in place of scorer, of kinds that classify
	totalRows  int
	rho        float64           // as used; 0 if the kind has none
	selection  *report.Selection // nil if the kind has none
	own        *model.Own        // nil if the kind has none
	// weightings are those of all, by rank, nil of one that is not known; nil if none are.
	weightings []*report.Weighting
	warnings   []string // of the last round
}

// kind is what is particular to a kind of model.
type kind struct {
	// options are those that it takes, of the ones that not all kinds do.
	options []string
	// check reports the first of them that cannot be used, as *Error.
	check func(t Task) error
	// learner returns what learns from a participant's data.
	learner func(t Task, own ownData) (learner, error)
	// shown lists what members show each other of their rows in the clear, apart from
	// bounds of sums; sums says whether there are any.
	shown func(t Task) (what []string, sums bool)
}

// ownData are a participant's, and what is known of those of all.
type ownData struct {
	rows    dataset.Rows // in the coordinates trained on
	of      dataset.Participant
	classes []float64   // the labels; nil if they are no classes
	common  *ggm.Common // nil if not known
}

var kinds = map[model.Kind]kind{
	model.GGM: {
		options: []string{"components", "rounds", "tol", "lambda0", "rho", "init"},
		check:   checkGGM, learner: newGGM,
		shown: func(Task) ([]string, bool) { return nil, true },
	},
	model.FedGen: {
		options: []string{"components", "tol", "a range of components", "covariance", "synthetic", "refine", "min-rows", "epsilon"},
		check:   checkFedGen, learner: newFedGen,
		shown: shownByFedGen,
	},
	model.DEM: {
		options: []string{"components", "rounds", "tol", "covariance", "start", "min-rows"},
		check:   checkDEM, learner: newDEM, shown: shownByDEM,
	},
	model.FedGEM: {
		options: []string{"components", "rounds", "tol", "own components", "a range of components", "covariance", "local-steps", "radius", "final", "min-rows", "epsilon"},
		check:   checkFedGEM, learner: newFedGEM, shown: shownByFedGEM,
	},
	model.MTVAE: {
		options: []string{"rounds", "local-steps", "latent", "hidden", "batch", "rate", "aggressive"},
		check:   checkMTVAE, learner: newMTVAE,
		shown: func(Task) ([]string, bool) { return nil, false },
	},
	model.CGAU: {
		options: []string{"rounds", "local-steps", "hidden", "batch", "rate", "classes", "dropout"},
		check:   checkCGAU, learner: newCGAU,
		shown: func(Task) ([]string, bool) { return nil, false },
	},
	model.BVAE: {
		options: []string{"rounds", "latent", "hidden", "batch", "rate", "beta", "epochs", "weights", "effect", "offset", "debias", "weigh-every", "publish-weights", "classes", "condition"},
		check:   checkBVAE, learner: newBVAE,
		shown: func(t Task) ([]string, bool) { return t.Weighting.shown(), false },
	},
}

// Takes says whether a kind has an option, of those that not all kinds have.
func Takes(k model.Kind, option string) bool { return slices.Contains(kinds[k].options, option) }

// HoldsRows says whether training reads all own rows into memory, wherever they stand.
func (t Task) HoldsRows() bool {
	return t.Model == model.FedGen || t.Model == model.FedGEM || t.networks() || t.Start == KFed
}

// networks says whether networks are trained, which take steps on some rows at a time.
func (t Task) networks() bool {
	return t.Model == model.MTVAE || t.Model == model.BVAE || t.Model == model.CGAU
}

// Secret says whether a participant draws by a secret of its own, which has to be the same
// when it comes back: see Noise.
func (t Task) Secret() bool { return t.Privacy.Epsilon != 0 || t.networks() }

// foreign returns the first option set that is of other kinds, empty if none is.
func (t Task) foreign() string {
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"components", t.Components != 0},
		{"tol", t.Tol != 0},
		{"lambda0", t.Lambda0 != 0},
		{"rho", t.Rho != 0},
		{"init", t.Init != nil},
		{"covariance", t.Covariance != ""},
		{"synthetic", t.Synthetic != 0},
		{"start", t.Start != ""},
		{"min-rows", t.MinRows != 0},
		{"local-steps", t.LocalSteps != 0},
		{"radius", t.Radius != ""},
		{"final", t.Final != ""},
		{"latent", t.Networks.Latent != 0},
		{"hidden", t.Networks.Hidden != nil},
		{"batch", t.Networks.Batch != 0},
		{"rate", t.Networks.Rate != 0},
		{"aggressive", t.Networks.Aggressive != 0},
		{"classes", t.Networks.Classes != 0},
		{"dropout", t.Networks.Dropout != 0},
		{"beta", t.Networks.Beta != 0},
		{"epochs", t.Networks.Epochs != 0},
		{"condition", t.Networks.Condition != ""},
		{"weights", t.Weighting.Weights != ""},
		{"effect", t.Weighting.Effect != 0},
		{"offset", t.Weighting.Offset != ""},
		{"debias", t.Weighting.Debias},
		{"weigh-every", t.Weighting.Every != 0},
		{"publish-weights", t.Weighting.Publish},
	} {
		if o.set && !Takes(t.Model, o.name) {
			return o.name
		}
	}
	return ""
}
