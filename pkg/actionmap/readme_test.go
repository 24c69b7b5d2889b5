package actionmap_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestReadmeNamesRealCodes(t *testing.T) {
	// Ensure that an error of which the tutorial says that a call fails with it is one that there is.
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("fails with\\s+`([a-z_]+)`").FindAllSubmatch(text, -1)
	if len(named) == 0 {
		t.Error("the tutorial names no error")
	}
	for _, m := range named {
		if !fault.Known(fault.Code(m[1])) {
			t.Errorf("there is no error %s", m[1])
		}
	}
}
