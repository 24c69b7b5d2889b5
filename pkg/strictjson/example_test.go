package strictjson_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/strictjson"
)

func ExampleCanonical() {
	text, err := strictjson.Canonical([]byte(`{ "b": 1.50, "a": "\u00e9" }`), strictjson.Limits{})
	fmt.Println(string(text), err)
	_, err = strictjson.Canonical([]byte(`{"a":1,"a":2}`), strictjson.Limits{})
	fmt.Println(err)
	// Output:
	// {"b":1.50,"a":"é"} <nil>
	// invalid_message: the member name "a" stands twice in one object
}

// A closed shape rejects what it does not declare; an open one skips it.
func ExampleDecode() {
	var v struct {
		Name string `json:"name"`
	}
	text := []byte(`{"name":"x","Name":"y"}`)
	fmt.Println(strictjson.Decode(text, &v, strictjson.Limits{}) != nil)
	fmt.Println(strictjson.DecodeOpen(text, &v, strictjson.Limits{}), v.Name)
	// Output:
	// true
	// <nil> x
}
