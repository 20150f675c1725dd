// Command mean is the program collabdict with one algorithm more: go run ./examples/mean demo --model
// mean.
package main

import (
	"os"

	"github.com/collabdict/collabdict/command"
)

func main() { os.Exit(command.Main(kind)) }
