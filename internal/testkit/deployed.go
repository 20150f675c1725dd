package testkit

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// DeployedMetrics returns the names of the program's metrics in the rules of Prometheus, in their tests and in
// the dashboard of Grafana, below the folder deploy. Names of recorded rules have a colon, and are none.
func DeployedMetrics(t testing.TB, deploy string) (names []string) {
	t.Helper()
	name := regexp.MustCompile(`(?:^|[^\w:])(collabdict_\w+)`)
	for _, path := range []string{"prometheus/rules.yml", "prometheus/rules_test.yml", "grafana/collabdict.json"} {
		text, err := os.ReadFile(filepath.Join(deploy, path))
		if err != nil {
			t.Fatal(err)
		}
		found := name.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s names no metric", path)
		}
		for _, m := range found {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OfServer reports whether a metric is of collabdict serve, and not of a node.
func OfServer(metric string) bool { return strings.HasPrefix(metric, "collabdict_serve_") }
