package command

import (
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/cli"
)

// Kinds returns the algorithms of this repository, the default first, for programs that join runs by
// [node.Join].
func Kinds() []algorithm.Kind { return algorithms.All() }

// Main runs the program with the arguments of the process and further algorithms, and returns its
// exit code. It panics if two algorithms have the same name.
func Main(further ...algorithm.Kind) int { return cli.Main(further...) }
