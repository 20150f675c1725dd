// Command collabdict runs a member of a consortium whose members learn one anomaly-detection
// model together without showing each other their data. It also has the tools around that. Run
// it without arguments for its commands.
package main

import (
	"os"

	"github.com/collabdict/collabdict/command"
)

func main() { os.Exit(command.Main()) }
