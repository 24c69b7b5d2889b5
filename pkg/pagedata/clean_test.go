package pagedata_test

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/pagedata"
)

func TestCleanJSONOfManyLines(t *testing.T) {
	// Ensure that JSON which a person has laid out over lines stays valid, and the line breaks in its texts stay theirs.
	got := pagedata.Clean([]byte("\n{\n\t\"tea\": \"one\\ntwo\",\r\n \"n\": [1,\n2]\n}\n"))
	var decoded struct{ Tea string }
	if err := json.Unmarshal(got, &decoded); err != nil || decoded.Tea != "one\ntwo" {
		t.Errorf("%s: %v", got, err)
	}
}
