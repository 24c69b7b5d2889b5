package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestFit(t *testing.T) {
	// Ensure that a screenshot's numbers and the start of a long text are kept, that nothing is longer than may be, and that a secret at the cut does not stay in part.
	picture := fmt.Sprintf(`{"data_url":"data:image/png;base64,%s","mime_type":"image/png","image_bytes":300000}`, strings.Repeat("iVBORw0KGgo0", 60_000))
	if got := string(Fit(json.RawMessage(picture))); got != `{"data_url":{"bytes":540000,"redacted":"image"},"mime_type":"image/png","image_bytes":300000}` {
		t.Errorf("a picture became %.300s", got)
	}
	key := "sk-proj4abcdefgh1234567890"
	page := strings.Repeat("word ", (fitString/2-12)/5) + key
	long, _ := json.Marshal(map[string]string{"text": page + strings.Repeat(" more", 20_000), "url": "https://example.com/"})
	got := string(Fit(long))
	if strings.Contains(got, "sk-proj4") || !strings.Contains(got, `"url":"https://example.com/"`) || len(got) > fitBytes {
		t.Errorf("a page became %d bytes: %.3000s", len(got), got)
	}
	var many []string
	for i := range 5_000 {
		many = append(many, fmt.Sprint("row ", i))
	}
	list, _ := json.Marshal(many)
	if got := string(Fit(list)); !strings.HasPrefix(got, `{"truncated":true`) || len(got) > fitBytes || !strings.Contains(got, "row 7") {
		t.Errorf("a list became %.300s", got)
	}
	for _, same := range []string{``, `{"a":1}`, `null`} {
		if got := string(Fit(json.RawMessage(same))); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}

func TestFitError(t *testing.T) {
	// Ensure that a long text is cut, that of evidence which is too long all the same the cause's code is kept, and that a short error stays as it is.
	long := strings.Repeat("word ", 40_000)
	list := strings.Split(long, " ")
	for name, c := range map[string]struct {
		evidence map[string]any
		want     string
	}{
		"none":       {nil, `null`},
		"short":      {map[string]any{"a": 1}, `{"a":1}`},
		"text":       {map[string]any{"a": long, "cause": fault.New(fault.TargetNotFound, "x").With("text", long)}, `{"a":"word word `},
		"list":       {map[string]any{"a": list}, `{"bytes":`},
		"with cause": {map[string]any{"a": list, "cause": fault.New(fault.TargetNotFound, "x")}, `{"bytes":`},
	} {
		f := fault.New(fault.WorkflowStepFailed, "%s", long)
		f.Evidence = c.evidence
		got := FitError(f)
		text, err := json.Marshal(got.Evidence)
		if err != nil || !strings.HasPrefix(string(text), c.want) || len(text) > fitEvidence || len(got.Message) > fitMessage+3 || got.Code != f.Code || len(f.Message) != len(long) {
			t.Errorf("%s: %.200s and %d bytes: %.300s", name, got.Message, len(text), text)
		}
		if strings.Contains(string(text), `"code":"target_not_found"`) != (c.evidence["cause"] != nil) {
			t.Errorf("%s: the cause's code: %.300s", name, text)
		}
	}
	if FitError(nil) != nil {
		t.Error("no error became one")
	}
}

func FuzzFit(f *testing.F) {
	f.Add(`{"a":"b","c":[1,null,true,{"d":"e"}]}`, 3)
	f.Add(`["x","x"]`, 40_000)
	f.Add(`{"a":`, 9000)
	f.Fuzz(func(t *testing.T, text string, pad int) {
		// Ensure that the result is JSON within the limit, whatever the text is.
		long, err := json.Marshal(strings.Repeat("p", max(0, min(pad, 1<<17))))
		if err != nil {
			t.Fatal(err)
		}
		data := json.RawMessage(strings.Replace(text, `"x"`, string(long), 2))
		got := Fit(data)
		if len(data) > fitBytes && (len(got) > fitBytes || !json.Valid(got)) {
			t.Fatalf("%d bytes became %d: %.200s", len(data), len(got), got)
		}
	})
}
