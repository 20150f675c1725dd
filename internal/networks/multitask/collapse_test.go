package multitask

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/vae"
)

// Health reports a collapse if the divergence has such a large weight from the first round that
// codes keep no information. It reports none if training goes well, also with a warm-up, free bits
// or extra encoder steps.
func TestAlarmRingsOnCollapse(t *testing.T) {
	testkit.SkipRaced(t)
	base := Config{Latent: 3, Hidden: []int{24}, Rate: 0.01, Batch: 24, Seed: 3}
	for name, c := range map[string]struct {
		change    func(*Config)
		collapsed bool
	}{
		"as it is":         {func(*Config) {}, false},
		"warm-up":          {func(c *Config) { c.WarmUp = 30 }, false},
		"free bits":        {func(c *Config) { c.FreeBits = 0.2 }, false},
		"aggressive":       {func(c *Config) { c.Aggressive = 10 }, false},
		"local steps":      {func(c *Config) { c.LocalSteps = 10 }, false},
		"heavy divergence": {func(c *Config) { c.KLWeight = 200 }, true},
	} {
		t.Run(name, func(t *testing.T) {
			config, rounds := base, 120
			if c.change(&config); config.LocalSteps > 0 {
				rounds /= config.LocalSteps
			}
			learners, trace := train(t, config, rounds, patterns(300, 6, 0), patterns(100, 6, 1))
			for s, l := range learners {
				h, err := l.Health()
				if err != nil {
					t.Fatal(err)
				}
				if h.Collapsed != c.collapsed {
					t.Errorf("participant %d: %+v, want collapsed %t", s, h, c.collapsed)
				}
				if c.collapsed != (h.Active == 0) || h.Latent != 3 {
					t.Errorf("participant %d: %d active dimensions of %d", s, h.Active, h.Latent)
				}
				t.Logf("participant %d: %+v, objective %.3f", s, h, trace[len(trace)-1])
			}
		})
	}
}

// There is no alarm before the warm-up is over.
func TestNoAlarmInTheWarmUp(t *testing.T) {
	config := Config{Latent: 2, KLWeight: 1000, Rate: 0.05, WarmUp: 40}
	for rounds, want := range map[int]bool{39: false, 60: true} {
		learners, _ := train(t, config, rounds, patterns(100, 3, 0))
		if h, err := learners[0].Health(); err != nil || h.Collapsed != want {
			t.Errorf("%d rounds: %+v, %v, want collapsed %t", rounds, h, err, want)
		}
	}
}

// z has no information about x if all rows have the same posterior, and ln n if they are far
// from each other.
func TestInformationOfKnownPosteriors(t *testing.T) {
	m := NewModel(2, Config{Latent: 1})
	clear(m.Encoder.Shared.Values)
	x, err := vae.InMemory(patterns(200, 2, 0))
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.health(x, seed(1))
	if err != nil || h.Information > 1e-6 || h.Active != 0 {
		t.Errorf("one posterior for all: %+v, %v", h, err)
	}
	m.Encoder.Shared.Values[0] = 1e6
	if h, err = m.health(x, seed(1)); err != nil || h.Information < 5.2 || h.Information > 5.2984 || h.Active != 1 {
		t.Errorf("posteriors far from each other: %+v, %v, want an information of ln 200 = 5.298", h, err)
	}
}

// Extra encoder steps end when the information stops growing.
func TestAggressiveStepsEnd(t *testing.T) {
	config := Config{Latent: 2, Hidden: []int{16}, Rate: 0.005, Aggressive: 20, Batch: 50}
	x := patterns(100, 5, 0)
	early, _ := train(t, config, 1, x)
	late, _ := train(t, config, 300, x)
	if !early[0].Aggressive() || late[0].Aggressive() {
		t.Errorf("aggressive after 1 round %t, after 300 %t", early[0].Aggressive(), late[0].Aggressive())
	}
}
