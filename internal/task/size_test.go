package task

import (
	"errors"
	"testing"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/vae/beta"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/multitask"
)

// Weights are counted as the networks have them.
func TestWeightsOfNetworks(t *testing.T) {
	const columns = 5
	k := networkTask()
	m := multitask.NewModel(columns, k.autoEncoder())
	if got, want := k.weights(columns), len(m.Encoder.Shared.Values)+len(m.Decoder.Shared.Values); got != want {
		t.Errorf("mtvae: got %d, want %d", got, want)
	}
	for _, condition := range []string{"", Conditioned} {
		k := betaTask(byLatent)
		k.Networks.Condition = condition
		if got, want := k.weights(columns), len(beta.NewModel(k.betaVAE(columns)).Parameters().Values); got != want {
			t.Errorf("bvae %s: got %d, want %d", condition, got, want)
		}
	}
	k = classifierTask()
	k.Networks.Classes = 7
	if got, want := k.weights(columns), len(cgau.NewModel(k.gated(columns, 7)).Shared().Values); got != want {
		t.Errorf("cgau: got %d, want %d", got, want)
	}
	if got := mixtureTask(model.DEM).weights(columns); got != 0 {
		t.Errorf("dem: got %d", got)
	}
}

// Networks that no machine could train are refused before there is room made for them.
func TestNetworksAreBounded(t *testing.T) {
	for _, k := range []Task{networkTask(), betaTask(byLatent), classifierTask()} {
		k.Networks.Hidden = []int{8, mostUnits + 1}
		if err := k.Validate(); err == nil || err.Error() != "hidden: want 1 to 65536 units in layer 2, got 65537" {
			t.Errorf("%s: got %v", k.Model, err)
		}
		k.Networks.Hidden = []int{mostUnits, mostUnits}
		var e *Error
		if err := k.Validate(); err != nil {
			t.Errorf("%s: got %v", k.Model, err)
		}
		if err := k.CheckColumns(3); !errors.As(err, &e) || e.Field != "hidden" || e.Hint == "" {
			t.Errorf("%s: got %v", k.Model, err)
		}
		k.PCA, k.Networks.Hidden = 3, []int{8}
		if err := k.CheckColumns(1 << 30); err != nil { // of which 3 are left
			t.Errorf("%s: got %v", k.Model, err)
		}
		if k.PCA = 0; k.CheckColumns(1<<30) == nil {
			t.Errorf("%s: a network of 2^30 columns passes", k.Model)
		}
	}
	k := betaTask(byLatent)
	if k.Networks.Latent = mostUnits + 1; k.Validate() == nil {
		t.Error("so many latent dimensions pass")
	}
}
