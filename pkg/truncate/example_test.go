package truncate_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// A limit in bytes or in characters: neither cuts a character in two.
func Example() {
	fmt.Println(truncate.Characters("naïve café", 6))
	fmt.Println(truncate.Bytes("naïve café", 6))
	fmt.Println(truncate.Prefix("naïve café", 3))
	fmt.Println(truncate.Characters("short", 6))
	// Output:
	// naïve…
	// naïve…
	// na
	// short
}
