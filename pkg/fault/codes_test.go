package fault_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// declared reads the codes of manifest/errors.json in their order.
func declared(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../manifest/errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range file.Errors {
		codes = append(codes, e.Code)
	}
	return codes
}

func TestCodes(t *testing.T) {
	// Ensure each declared code stands once, reads as a code, and says what to do next in a sentence.
	codes := declared(t)
	shape := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for i, code := range codes {
		if slices.Contains(codes[:i], code) {
			t.Errorf("%s stands twice", code)
		}
		if !shape.MatchString(code) {
			t.Errorf("%q is not written as a code", code)
		}
		f := fault.New(fault.Code(code), "m")
		if !fault.Known(f.Code) || !strings.HasSuffix(f.NextStep, ".") {
			t.Errorf("%s has no next step that is a sentence: %q", code, f.NextStep)
		}
		if f.Retryable && !f.Recoverable {
			t.Errorf("%s is retryable and yet not recoverable", code)
		}
	}
}

func TestCodesAreAppendOnly(t *testing.T) {
	// Ensure that no code that agents may know is renamed or removed: the list of released codes only grows.
	name := filepath.Join("testdata", "codes.txt")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	released, codes := strings.Fields(string(text)), declared(t)
	for _, code := range released {
		if !slices.Contains(codes, code) {
			t.Errorf("errors.json lost %s: a released code keeps its name", code)
		}
	}
	for _, code := range codes {
		if !slices.Contains(released, code) {
			t.Errorf("%s is not in %s: run go run ./scripts/generate", code, name)
		}
	}
}
