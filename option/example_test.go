package option_test

import (
	"fmt"
	"log"

	"github.com/collabdict/collabdict/option"
)

// settings holds the settings of an example program.
type settings struct {
	Components int
	Rho        float64
	Form       string
}

func (s *settings) options() option.Table {
	return option.Table{
		option.Int(&s.Components, "components", 5, "number of patterns", option.AtLeast(1)),
		option.Float(&s.Rho, "rho", 0, "sparsity", option.Above(0, 1), option.Optional[float64]("leave it out to choose it by the data")),
		option.String(&s.Form, "form", "full", "form of the covariance matrices", option.OneOf("full", "diag")),
	}
}

// Values are set as text, from flags or a file. The fields that members must share follow.
func Example() {
	var s settings
	table := s.options()
	if err := table.Set("components", "3"); err != nil {
		log.Fatal(err)
	}
	if err := table.Complete(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", s)
	for _, f := range table.Fields() {
		fmt.Printf("%s = %s\n", f.Name, f.Value)
	}
	// Output:
	// {Components:3 Rho:0 Form:full}
	// components = 3
	// form = full
}

// The first option that cannot be used is an error with the value wanted.
func ExampleTable_Complete() {
	var s settings
	table := s.options()
	if err := table.Set("form", "banded"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Complete())
	// Output: form: want full or diag, got "banded"
}
