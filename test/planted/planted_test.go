package planted

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/redact"
)

func TestTheTable(t *testing.T) {
	// Ensure that there are 200 secrets, each another one, of each kind and language, and that each is found where it stands.
	all := All()
	if len(all) != 200 || len(Texts())+len(Fields()) != 200 {
		t.Errorf("%d secrets, %d in texts and %d in fields, not 200", len(all), len(Texts()), len(Fields()))
	}
	rules, languages := map[string]int{}, map[string]int{}
	for i, s := range all {
		rules[s.Rule]++
		languages[s.Language]++
		if (s.Text == "") == (s.HTML == "") || s.Text != "" && !strings.Contains(s.Text, place) || len(s.Secret) < 7 {
			t.Errorf("%+v", s)
		}
		for _, other := range all[:i] {
			if strings.Contains(other.Secret, s.Secret) || strings.Contains(s.Secret, other.Secret) {
				t.Errorf("%s and %s are not apart", s.Secret, other.Secret)
			}
		}
		if !s.In([]byte("x "+s.Secret+".")) || s.In([]byte("x")) {
			t.Errorf("%s is not found", s.Secret)
		}
	}
	if len(rules) != 11 || len(languages) != 13 {
		t.Errorf("the rules are %v, the languages %v", rules, languages)
	}
}

func TestEachTextIsRedacted(t *testing.T) {
	// Ensure that each secret is hidden by the rule that the table names, as a text, beside others, quoted, within JSON and within JSON in a text, and that what is around it stays.
	for _, s := range Texts() {
		text := s.InText()
		inner, err := json.Marshal(map[string]string{"note": text})
		if err != nil {
			t.Fatal(err)
		}
		outer, err := json.Marshal(map[string]any{"text": text, "list": []string{"tea", text}, "raw": string(inner)})
		if err != nil {
			t.Fatal(err)
		}
		// In a list the numbers before and after it are near, and a snapshot quotes it.
		beside := "DE66 3704 0044 0532 0132 82 4111 1111 1111 1111 " + strings.ReplaceAll(text, "\n", " ") + " DE66 3704 0044 0532 0132 82"
		for _, out := range []string{redact.Text(text), redact.Text(beside), redact.Text(string(inner)), redact.Text(string(outer)), string(redact.JSON(outer)), string(redact.JSON([]byte(text)))} {
			if s.In([]byte(out)) || !strings.Contains(out, redact.Mark) {
				t.Errorf("%s: %s becomes %s", s.Rule, text, out)
			}
		}
	}
}

func TestFilesAreSearched(t *testing.T) {
	// Ensure that a secret in a file is found, and a part of a longer number is none.
	folder := t.TempDir()
	for name, text := range map[string]string{"a": "xx secret-1 yy", "b": "12345678"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, files, err := InFiles(folder, []Secret{{Secret: "secret-1"}, {Secret: "234567"}, {Secret: "12345678"}})
	if err != nil || files != 2 || len(found) != 2 {
		t.Errorf("%v, %d files, %v", found, files, err)
	}
}
