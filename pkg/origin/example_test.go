package origin_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

func ExampleParse() {
	for _, url := range []string{"HTTPS://Example.COM:443/a?b", "http://bücher.example:8080/", "https://example.com\\@evil.example/", "file:///etc/hosts"} {
		o, err := origin.Parse(url)
		if err != nil {
			fmt.Println(fault.From(err).Code)
			continue
		}
		fmt.Println(o)
	}
	// Output:
	// https://example.com
	// http://xn--bcher-kva.example:8080
	// restricted_page
	// restricted_page
}

func ExampleMatchHost() {
	fmt.Println(origin.MatchHost("shop.example.com", "example.com"))
	fmt.Println(origin.MatchHost("www.example.com", "www.example.com"))
	fmt.Println(origin.MatchHost("notexample.com", "example.com"))
	// Output:
	// true
	// true
	// false
}

func ExampleAllowed() {
	patterns := []string{"https://*.example.com", "http://localhost:*"}
	fmt.Println(origin.Allowed(patterns, "https://shop.example.com"))
	fmt.Println(origin.Allowed(patterns, "http://localhost:8080"))
	fmt.Println(origin.Allowed(patterns, "http://shop.example.com"))
	// Output:
	// true
	// true
	// false
}
