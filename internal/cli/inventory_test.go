package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/ops/inventory"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// withEpsilon are settings with which algorithms that can add noise do.
var withEpsilon = [][2]string{{"epsilon", "1"}, {"standardise", "none"}, {"clip", "3"}, {"components", "5"}}

// inventoryOf returns what a run of a kind shows, by default or with epsilon. ok is false if the
// kind has no epsilon.
func inventoryOf(kind algorithm.Kind, epsilon bool) (items []algorithm.Item, ok bool, err error) {
	t := pipeline.New(kind)
	if epsilon {
		if t.Options.Find("epsilon") == nil {
			return nil, false, nil
		}
		for _, set := range withEpsilon {
			if err := t.Set(set[0], set[1]); err != nil {
				return nil, true, err
			}
		}
	}
	if err := t.Complete(); err != nil {
		return nil, true, err
	}
	items = t.Inventory(collabdict.Solo{})
	if !epsilon {
		items = append(items[:1:1], append([]algorithm.Item{pipeline.PastRun}, items[1:]...)...)
	}
	return items, true, nil
}

// inventoryPage returns the page of the reference that lists everything that leaves a member.
func inventoryPage() (string, error) {
	var b strings.Builder
	b.WriteString("# What leaves a member\n\n" + generated +
		"Here you find everything that depends on a member's rows and that others can see. A total shows the sum over all members,\n" +
		"not one member's part; [random chunks](../explanation/private-sums.md) hide that. A value in the clear is each member's own. A run\n" +
		"cannot show anything else: a collective that is not listed ends the program before anything is sent.\n" +
		"`collabdict ledger` and `result.json` say what a run has shown.\n")
	for _, k := range algorithms.All() {
		for _, epsilon := range []bool{false, true} {
			items, ok, err := inventoryOf(k, epsilon)
			if err != nil {
				return "", fmt.Errorf("%s: %w", k.Name, err)
			}
			switch {
			case !ok:
				fmt.Fprintf(&b, "\n`%s` has no `--epsilon`.\n", k.Name)
				continue
			case epsilon:
				b.WriteString("\nWith `--epsilon 1 --standardise none --clip 3 --components 5`:\n\n")
			default:
				fmt.Fprintf(&b, "\n## Model %s\n\nAll members see, with default options and `--standardise global`:\n\n", k.Name)
			}
			b.WriteString(shownLines(items))
		}
	}
	b.WriteString("\n## With --window auto\n\nAll members also see:\n\n" + shownLines([]algorithm.Item{pipeline.OrderItem}))
	b.WriteString("\n## Outside of totals\n\nThe noise of `--epsilon` does not cover the following.\n")
	for _, place := range inventory.Places {
		fmt.Fprintf(&b, "\n### %s\n\nSeen by %s.\n\n", place, place.SeenBy())
		for _, t := range inventory.Things {
			if t.Place != place {
				continue
			}
			names := strings.Join(t.Names, ", ")
			if place != inventory.Network {
				names = "`" + strings.Join(t.Names, "`, `") + "`"
			}
			tells := "nothing about rows"
			if t.Tells != "" {
				tells = t.Tells
			}
			fmt.Fprintf(&b, "- %s. **Tells** %s.\n", names, tells)
		}
	}
	return b.String(), nil
}

// shownLines lists items, those that are shown in the same way in one line.
func shownLines(items []algorithm.Item) string {
	var b strings.Builder
	for n, i := range items {
		if n == 0 || !sameWay(items[n-1], i) {
			fmt.Fprintf(&b, "- **%s, %s.**", sentence(string(i.Form)), i.When)
		}
		fmt.Fprintf(&b, " %s.", sentence(i.What))
		if n+1 < len(items) && sameWay(i, items[n+1]) {
			continue
		}
		if i.Hidden != "" {
			fmt.Fprintf(&b, " Also hidden by %s.", i.Hidden)
		}
		switch i.Epsilon {
		case algorithm.FreeOfRows:
			b.WriteString(" No row changes it.")
		case algorithm.Covered:
			b.WriteString(" Epsilon covers it.")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func sameWay(a, b algorithm.Item) bool {
	a.Entry, a.What = b.Entry, b.What
	return a == b
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// The marks around the part of a model's page that the inventory writes.
const (
	inventoryBegins = "<!-- from the inventory -->\n"
	inventoryEnds   = "<!-- end of the inventory -->\n"
)

// The page of each model lists what its algorithm shows, from the inventory. With -update, the lists are
// written again.
func TestModelPagesListTheInventory(t *testing.T) {
	for _, k := range algorithms.All() {
		path := "../../docs/models/" + k.Name + ".md"
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, begins := strings.Cut(string(b), inventoryBegins)
		have, after, ends := strings.Cut(rest, inventoryEnds)
		if !begins || !ends {
			t.Errorf("%s: no part between %q and %q", path, inventoryBegins, inventoryEnds)
			continue
		}
		task := pipeline.New(k)
		if err := task.Complete(); err != nil {
			t.Fatal(err)
		}
		want := shownLines(task.Algorithm.Disclosure(task.Coordinates()).Items)
		if have == want {
			continue
		}
		if !*update {
			t.Errorf("%s is stale: run go test ./internal/cli -run TestModelPagesListTheInventory -update", path)
		} else if err := os.WriteFile(path, []byte(before+inventoryBegins+want+inventoryEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// filesAreListed checks that the inventory has all files that runs have left in a folder.
func filesAreListed(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !inventory.Listed(inventory.Files, d.Name()) {
			t.Errorf("%s: want the file in package inventory: say what it tells about rows", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
