package suggest_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/suggest"
)

func ExampleNames() {
	known := []string{"locator.click", "locator.fill", "page.snapshot"}
	fmt.Println(suggest.Names("locator.clik", known))
	fmt.Println(suggest.Names("element.fill", known))
	fmt.Println(suggest.Names("teleport", known))
	// Output:
	// [locator.click]
	// [locator.fill]
	// []
}
