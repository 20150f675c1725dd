// Package test reads the dashboard by Grafana's own schema. It is a separate module, so that this is no
// dependency of the program.
package test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Grafana's schema has every field of the dashboard, of its panels and of its queries, and the dashboard has
// every field that the schema requires. A panel has a query, and says what it shows.
func TestDashboardFollowsTheSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	text, err := os.ReadFile("../collabdict.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard.Dashboard
	err = d.UnmarshalJSONStrict(text)
	var faults cog.BuildErrors // may be an error without any fault
	if err != nil && !errors.As(err, &faults) {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	places := map[dashboard.GridPos]bool{}
	for _, p := range d.Panels {
		if p.Panel == nil {
			continue
		}
		if len(p.Panel.Targets) == 0 || p.Panel.Description == nil {
			t.Errorf("panel %d has no query, or no description", *p.Panel.Id)
		}
		places[*p.Panel.GridPos] = true
	}
	if panels := len(d.Panels) - 2; panels <= 0 || len(places) != panels { // there are two rows of titles
		t.Errorf("%d panels in %d places", panels, len(places))
	}
}
