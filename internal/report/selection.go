package report

import "github.com/collabdict/collabdict/algorithm"

// Selection says what a mixture that was put together in one round was made of, and
// which numbers of components were tried.
type Selection = algorithm.Selection

// Choice is a number of components that was tried. The one of least BIC was taken.
type Choice = algorithm.Choice

// Judged says what held-out rows tell of settings that there were to choose from.
type Judged = algorithm.Judged
