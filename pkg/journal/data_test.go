package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/redact"
)

const (
	png  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	jwt  = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ"
	mark = "pl4nted" // part of every other planted secret
)

// Ensure no planted secret is found anywhere in the file's bytes, free pages
// included.
func TestPlantedSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	planted := []string{
		`{"password":"` + mark + `"}`, `{"a":{"client_secret":["` + mark + `"]}}`, `{"headers":[{"name":"Cookie","value":"sid=` + mark + `"}]}`,
		`{"url":"https://user:` + mark + `@a.test/?token=` + mark + `&x=1"}`, `{"text":"sk-` + mark + `-abcdefgh"}`, `"Bearer ` + mark + `abcdef"`,
		`{"body":"user=a&passwd=` + mark + `&go=1"}`, `{"args":"{\"otp\":\"` + mark + `\"}"}`, `{"shot":"data:image/png;base64,` + png + `"}`,
		`{"jwt":"x","text":"got ` + jwt + `"}`, `{"broken":"password: ` + mark, `{"fields":[{"label":"Password","value":"` + mark + `"}]}`,
	}
	for i, data := range planted {
		commit(t, j, Record{Type: TypeIntent, CallID: string(rune('a' + i)), Data: json.RawMessage(data)})
		commit(t, j, Record{Type: TypeOutcome, CallID: string(rune('a' + i)), Data: json.RawMessage(data)})
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{mark, png, jwt, "c2lnbmF0dXJl", png[20:60]} {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("%s stands in the file", secret)
		}
	}
}

// Ensure data above the limit is cut to valid JSON that says so.
func TestLargeData(t *testing.T) {
	j := openTest(t, Options{})
	large := map[string]string{
		"just fits": `"` + strings.Repeat("x ", MaxData/2-1) + `"`,
		"too large": `"` + strings.Repeat("ä€\\\" ", MaxData/6) + `"`,
		"huge":      `"` + strings.Repeat("x ", redact.MaxJSON) + `"`,
	}
	for name, text := range large {
		commit(t, j, Record{Type: TypeLifecycle, Name: name, Data: json.RawMessage(text)})
	}
	for _, r := range all(t, &j.Reader) {
		var cut struct {
			Truncated bool
			Bytes     int
			Head      string
		}
		err := json.Unmarshal(r.Data, &cut)
		switch {
		case len(r.Data) > MaxData:
			t.Errorf("%s: %d bytes", r.Name, len(r.Data))
		case r.Name == "just fits":
			if string(r.Data) != large[r.Name] {
				t.Errorf("%s was cut", r.Name)
			}
		case err != nil || !cut.Truncated || cut.Bytes != len(large[r.Name]) || !utf8.ValidString(cut.Head) || (cut.Head == "") != (r.Name == "huge"):
			t.Errorf("%s: %d of %d bytes, a head of %d, %v", r.Name, cut.Bytes, len(large[r.Name]), len(cut.Head), err)
		}
	}
}
