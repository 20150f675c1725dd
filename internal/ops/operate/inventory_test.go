package operate

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/inventory"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Every field of the status and every metric is in the inventory, and the inventory lists no
// others. The port tells no more of rows than the time that work on them takes.
func TestStatusAndMetricsAreInTheInventory(t *testing.T) {
	all := &Status{}
	filled(reflect.ValueOf(all).Elem())
	all.Phase, all.Node.Absent[0].Name = Running, "another" // so that the time left is known
	have := map[inventory.Place][]string{}
	have[inventory.Status], have[inventory.Socket] = shown(all.Public(), all)
	public, socket := metricsOf(t, all.Public()), metricsOf(t, all)
	for _, m := range metrics {
		name := nameOf(m)
		switch line := "# TYPE " + name + " "; {
		case strings.Contains(public, line):
			have[inventory.Metrics] = append(have[inventory.Metrics], strings.TrimPrefix(name, "collabdict_"))
		case strings.Contains(socket, line):
			have[inventory.Socket] = append(have[inventory.Socket], name)
		default:
			t.Errorf("%s is never shown", name)
		}
	}
	for place, names := range have {
		for _, name := range names {
			if !inventory.Listed(place, name) {
				t.Errorf("%s: want %s in package inventory: say what it tells about rows", place, name)
			}
		}
	}
	for _, thing := range inventory.Things {
		names, known := have[thing.Place]
		for _, name := range thing.Names {
			if known && !slices.Contains(names, name) {
				t.Errorf("%s: the inventory has %s, which there is not", thing.Place, name)
			}
		}
		if port := thing.Place == inventory.Status || thing.Place == inventory.Metrics; port && thing.Tells != "" && thing.Tells != inventory.WorkTime {
			t.Errorf("%s shows %s", thing.Place, thing.Tells)
		}
	}
}

func nameOf(m metric) string {
	return regexp.MustCompile(`"(collabdict_\w+)"`).FindStringSubmatch(m.desc.String())[1]
}

// The rules of Prometheus and the dashboard of Grafana name metrics that there are.
func TestDeployedMetrics(t *testing.T) {
	for _, name := range testkit.DeployedMetrics(t, "../../../deploy") {
		if !testkit.OfServer(name) && !slices.ContainsFunc(metrics, func(m metric) bool { return nameOf(m) == name }) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// shown returns the paths of the fields of a public status, and of those that only the whole has.
func shown(public, whole *Status) (port, socket []string) {
	all := map[string]bool{}
	for i, s := range []*Status{public, whole} {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			panic(err)
		}
		for _, path := range paths(v, "") {
			if !all[path] {
				all[path] = true
				if i == 0 {
					port = append(port, path)
				} else {
					socket = append(socket, path)
				}
			}
		}
	}
	return port, socket
}

// paths returns the paths of the values in a JSON object.
func paths(v any, prefix string) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			all = append(all, paths(value, strings.TrimPrefix(prefix+"."+name, "."))...)
		}
	case []any:
		for _, value := range v {
			all = append(all, paths(value, prefix)...)
		}
	default:
		all = append(all, prefix)
	}
	return all
}

// filled sets every field of a value to something other than zero.
func filled(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(noon))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	default:
		v.SetUint(1)
	}
}
