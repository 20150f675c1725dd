package pipeline

import (
	"errors"
	"testing"

	"github.com/collabdict/collabdict/option"
)

// Models too large to train are refused before memory for them is allocated.
func TestModelsAreBounded(t *testing.T) {
	var e *option.Error
	for kind, more := range map[string][]string{"mtvae": nil, "bvae": latent, "cgau": nil} {
		with := func(options ...string) []string {
			return append(append(quick[kind][:len(quick[kind]):len(quick[kind])], more...), options...)
		}
		if _, err := attempt(kind, with("hidden=8,65537")...); err == nil || err.Error() != "hidden: want 1 to 65536 units in layer 2, got 65537" {
			t.Errorf("%s: got %v", kind, err)
		}
		if err := made(t, kind, with("hidden=65536,65536")...).CheckColumns(3); !errors.As(err, &e) || e.Name != "hidden" || e.Hint == "" {
			t.Errorf("%s: got %v", kind, err)
		}
		if err := made(t, kind, with("hidden=8", "pca=3")...).CheckColumns(1 << 30); err != nil { // projected to 3 axes
			t.Errorf("%s: got %v", kind, err)
		}
		if made(t, kind, with("hidden=8")...).CheckColumns(1<<30) == nil {
			t.Errorf("%s: a network of 2^30 columns passes", kind)
		}
	}
	if _, err := attempt("bvae", append(latent, "latent=65537")...); err == nil {
		t.Error("65537 latent dimensions pass")
	}
	if err := small(t, "ggm").CheckColumns(1 << 14); !errors.As(err, &e) || e.Name != "components" || e.Hint == "" {
		t.Errorf("ggm: got %v", err)
	}
}
