package fault_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func ExampleNew() {
	err := fault.New(fault.TargetNotFound, "no element matches %q", "#buy")
	fmt.Println(err)
	fmt.Println("recoverable:", err.Recoverable, "retryable:", err.Retryable)
	fmt.Println(strings.Split(err.NextStep, ". ")[0])
	// Output:
	// target_not_found: no element matches "#buy"
	// recoverable: true retryable: false
	// Nothing was done
}

// Any error can go into an envelope: From finds its code.
func ExampleFrom() {
	wrapped := fmt.Errorf("while reading: %w", fault.New(fault.Timeout, "the page did not answer"))
	fmt.Println(fault.From(wrapped).Code, fault.Is(wrapped, fault.Timeout))
	fmt.Println(fault.From(context.Canceled).Code)
	fmt.Println(fault.From(fmt.Errorf("nil map")).Code)
	// Output:
	// timeout true
	// cancelled
	// internal_error
}
