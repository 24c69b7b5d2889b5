// Package protocol holds the message types between host and extension.
//
// Rules of this package:
//   - The types are generated from messages.schema.json and methods.json.
//   - A rising Number marks each change of the protocol; methods.json keeps its
//     dated history.
package protocol

// Method is one row of the table of JSON-RPC methods.
type Method struct {
	// Name is the JSON-RPC method name.
	Name string
	// From is the side that sends it: extension or host.
	From string
	// Kind is request or notification.
	Kind string
	// Params and Result name definitions of messages.schema.json; Result is
	// empty for a notification.
	Params, Result string
}
