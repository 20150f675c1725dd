package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/scenario/adversary"
	"github.com/collabdict/collabdict/netsim"
)

// Apply enters the scenario into the settings of a simulation, which must have the names of its
// members. An error gives the word, the value got and the value wanted.
func (s *Scenario) Apply(c *netsim.Config) error {
	if s == nil {
		return nil
	}
	for _, w := range s.words {
		v := &values{word: w, members: c.Names, taken: map[string]bool{}}
		f := kinds[w.name](s, v, c)
		if err := v.end(); err != nil {
			return err
		}
		if f != nil {
			c.Faults = append(c.Faults, f)
		}
	}
	return nil
}

// kinds maps each word to the function that converts its values.
var kinds = map[string]func(s *Scenario, v *values, c *netsim.Config) netsim.Fault{
	"compute": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		c.Compute = v.needTime("time")
		return nil
	},
	"latency": func(s *Scenario, v *values, c *netsim.Config) netsim.Fault {
		c.Latency = s.latency(v)
		return nil
	},
	"crash": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Crash{Member: v.node(), When: v.when(), Amnesia: v.choice("state", "kept", "lost") == "lost"}
	},
	"churn": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Churn{Rate: v.rate(), When: v.when()}
	},
	"late": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Late{Member: v.node(), When: v.when()}
	},
	"slow": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Slow{Member: v.node(), Factor: v.number("factor", 0.001, 1e6), When: v.when()}
	},
	"clock": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Clock{Member: v.node(), Rate: v.numberOr("rate", 1e-3, 1e3, 1), Offset: v.time("offset", 0)}
	},
	"partition": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault { return partition(v) },
	"flap": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Flap{Member: v.node(), Up: v.needTime("up"), Down: v.needTime("down"), When: v.when()}
	},
	"nat": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.NAT{Members: v.nodes(), Idle: v.time("idle", 2*time.Minute)}
	},
	"loss": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Loss{Rate: v.rate(), Members: v.nodes(), When: v.when()}
	},
	"duplicate": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Duplicate{Rate: v.rate(), When: v.when()}
	},
	"reorder": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Reorder{Rate: v.rate(), Delay: v.time("delay", time.Second), When: v.when()}
	},
	"silent": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.Silent{})
	},
	"garbage": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.Garbage{Rate: v.numberOr("rate", 0, 1, 0.05)})
	},
	"replay": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, &adversary.Replay{})
	},
	"equivocate": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.Equivocator{})
	},
	"scale": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.Scaled{Factor: v.number("factor", -1e12, 1e12)})
	},
	"flip": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.Flipped{})
	},
	"nan": func(_ *Scenario, v *values, c *netsim.Config) netsim.Fault {
		return turn(v, c, adversary.NaN{})
	},
	"pause": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Pause{When: v.when()}
	},
	"bandwidth": func(_ *Scenario, v *values, _ *netsim.Config) netsim.Fault {
		return netsim.Bandwidth{Members: v.nodes(), Up: v.bytes("up"), Down: v.bytes("down"), When: v.when()}
	},
}

// adversaries lists the words that make a member an adversary.
var adversaries = []string{"silent", "garbage", "replay", "equivocate", "scale", "flip", "nan"}

// IsAdversary reports whether a word makes a member an adversary.
func IsAdversary(word string) bool { return slices.Contains(adversaries, word) }

// turn makes a member an adversary.
func turn(v *values, c *netsim.Config, a netsim.Adversary) netsim.Fault {
	turned := map[int]netsim.Adversary{v.node(): a}
	maps.Copy(turned, c.Adversaries)
	c.Adversaries = turned
	return nil
}

func names() string { return "one of " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ") }

// partition reads sides, such as a=1-4|b=5-7. All text after the first equals sign is one
// value.
func partition(v *values) netsim.Fault {
	p := netsim.Partition{OneWay: v.choice("oneway", "no", "yes") == "yes", When: v.when()}
	const want = "sides such as a=1-4|b=5-7"
	text := "a=" + v.need("a", want)
	for _, side := range strings.Split(text, "|") {
		name, members, found := strings.Cut(side, "=")
		if !found {
			v.wrong("a", want, text)
			return p
		}
		p.Sides = append(p.Sides, v.list(name, members))
	}
	for _, more := range []string{"b", "c", "d"} { // sides given in a file
		if members, found := v.get(more); found {
			p.Sides = append(p.Sides, v.list(more, members))
		}
	}
	if len(p.Sides) < 2 {
		v.wrong("b", want, text)
	}
	return p
}

// latency reads a latency model.
func (s *Scenario) latency(v *values) netsim.Latency {
	switch v.choice("kind", "uniform", "constant", "log-normal", "zones", "csv") {
	case "constant":
		return netsim.Constant(v.needTime("time"))
	case "log-normal":
		return netsim.LogNormal{Median: v.needTime("median"), Sigma: v.numberOr("sigma", 0, 3, 0.5)}
	case "zones":
		return zones(v)
	case "csv":
		return s.measured(v)
	}
	return netsim.Uniform(v.needTime("mean"))
}

// zones reads a latency of zones: members of one zone are close to each other and far from
// others.
func zones(v *values) netsim.Latency {
	count := int(v.number("zones", 1, 1000))
	within, between := v.time("within", time.Millisecond), v.needTime("between")
	z := netsim.Zones{Jitter: v.numberOr("jitter", 0, 0.99, 0.1)}
	for i := range count {
		row := make([]time.Duration, count)
		for j := range row {
			row[j] = between
		}
		row[i] = within
		z.OneWay = append(z.OneWay, row)
	}
	for m := range v.members {
		z.Zone = append(z.Zone, m%max(1, count))
	}
	return z
}

func (s *Scenario) measured(v *values) netsim.Latency {
	name := v.need("file", "a CSV file of from,to,rtt_ms")
	if v.err != nil || s.ReadFile == nil {
		v.wrong("file", "a latency without a file, since this command reads none", name)
		return nil
	}
	f, err := s.ReadFile(name)
	if err != nil {
		v.wrong("file", "a file that can be read", name)
		return nil
	}
	defer f.Close()
	z, err := netsim.ReadRTTs(f, v.members)
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("%s, latency: file %s: %w", v.where, name, err)
	}
	return z
}
