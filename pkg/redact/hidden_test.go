package redact

import "testing"

func TestHidden(t *testing.T) {
	// Ensure that given texts are hidden wherever and however they stand in a JSON text, and nothing else is.
	h := Hide([]string{" Pl nted/47 ", "12", "ß", "", "it's (a)*!"})
	for in, want := range map[string]string{
		`{"a":"say pl NTED/47!","b":["Pl+nted%2F47","Pl%20nted%2F47"],"c":12,"d":120}`: `{"a":"say [redacted]!","b":["[redacted]","[redacted]"],"c":"[redacted]","d":120}`,
		`{"Pl nted/47":"12","x":"about 12","y":" 12 "}`:                                `{"[redacted]":"[redacted]","x":"about 12","y":"[redacted]"}`,
		`"/x/it's%20(a)*!?q=it%27s+%28a%29*%21"`:                                       `"/x/[redacted]?q=[redacted]"`,
		`"Straße"`:                                                                     `"Straße"`, `not JSON`: `null`,
	} {
		if got := string(h.JSON([]byte(in))); got != want {
			t.Errorf("%s\n gives %s\n not   %s", in, got, want)
		}
	}
	if got := string(Hide(nil).JSON([]byte(`{"a": 1}`))); got != `{"a": 1}` {
		t.Error(got)
	}
}
