package fairqueue_test

import (
	"context"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fairqueue"
)

func ExampleQueue_Acquire() {
	lane := fairqueue.New[string](1)
	release, err := lane.Acquire(context.Background(), "first")
	if err != nil {
		fmt.Println(err)
		return
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = lane.Acquire(gone, "second")
	fmt.Println(err)
	release()
	release, err = lane.Acquire(context.Background(), "second")
	fmt.Println(err)
	release()
	// Output:
	// context canceled
	// <nil>
}
