// Package property gives the property tests of a package the same draws in every run, so that they
// fail for a change and never by chance. Test files import it for that effect. With
// COLLABDICT_SEEDS=new, each run has draws of its own; make fuzz sets it.
package property

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // defines the flag
)

func init() {
	if os.Getenv("COLLABDICT_SEEDS") == "new" {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
