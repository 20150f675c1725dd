package operate

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/inventory"
)

// Every field of the status and every metric is in the inventory, and the inventory lists no
// others.
func TestStatusAndMetricsAreInTheInventory(t *testing.T) {
	var fields, names []string
	fieldsOf(reflect.TypeFor[Status](), "", &fields)
	for _, m := range metrics {
		names = append(names, regexp.MustCompile(`"collabdict_(\w+)"`).FindStringSubmatch(m.desc.String())[1])
	}
	for place, have := range map[inventory.Place][]string{inventory.Status: fields, inventory.Metrics: names} {
		for _, name := range have {
			if !inventory.Listed(place, name) {
				t.Errorf("%s: want %s in package inventory: say what it tells about rows", place, name)
			}
		}
		for _, thing := range inventory.Things {
			for _, name := range thing.Names {
				if thing.Place == place && !slices.Contains(have, name) {
					t.Errorf("%s: the inventory has %s, which there is not", place, name)
				}
			}
		}
	}
}

// fieldsOf adds the paths of a type's fields in JSON.
func fieldsOf(t reflect.Type, at string, to *[]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		*to = append(*to, strings.TrimPrefix(at, "."))
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "-":
		case name == "" && f.Anonymous:
			fieldsOf(f.Type, at, to)
		default:
			fieldsOf(f.Type, at+"."+name, to)
		}
	}
}
