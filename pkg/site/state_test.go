package site_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/test/database"
)

func TestStateOfAnotherOrigin(t *testing.T) {
	// Ensure that a map which serves several origins compares the state of each with its own last one: a session may see one of them and not the other.
	const mail, www = "https://mail.example.com", "https://www.example.com"
	declared := strings.Replace(projectionOf("inbox"), `{'n': 1}`, `{'subject': records.subject}`, 1)
	r := newRig(t, map[string]string{"public/sites/example.com": mapOf(`"state_projections":[`+declared+`],`, "")})
	var err error
	if r.site.Snapshots, err = projection.OpenSnapshots(database.New(t)); err != nil {
		t.Fatal(err)
	}
	look := func(origin, subject, mode string) (d projection.Difference) {
		t.Helper()
		r.url = origin + "/"
		r.reads(map[string]string{"subject": `"` + subject + `"`})
		out, err := r.site.Handle(t.Context(), primitive.Call{TabID: 1, URL: r.url, Origin: origin, Arguments: json.RawMessage(`{"mode":"` + mode + `"}`), Meta: &primitive.Meta{}})
		if err == nil {
			err = json.Unmarshal(out, &d)
		}
		if err != nil {
			t.Fatalf("%s on %s: %v", mode, origin, err)
		}
		if origin == www && strings.Contains(string(out), "private") {
			t.Errorf("it gives %s", out)
		}
		return d
	}
	look(mail, "private", "state_read")
	if d := look(www, "news", "state_diff"); d.Baseline != "initialized" || len(d.Deltas) != 0 || d.PreviousStateHash != "" {
		t.Errorf("on the other origin: %+v", d)
	}
	if d := look(mail, "answered", "state_diff"); d.Baseline != "previous_snapshot" || len(d.Deltas) == 0 {
		t.Errorf("back on the first: %+v", d)
	}
}
