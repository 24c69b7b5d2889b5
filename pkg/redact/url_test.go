package redact

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	// Ensure that an address keeps its form and loses its user, its secret parameters, in the fragment too, and what looks like a key.
	for given, want := range map[string]string{
		"https://tea.example/a?q=green&page=2#top":                                               "https://tea.example/a?q=green&page=2#top",
		"https://ada:lovelace@tea.example/":                                                      "https://[redacted]@tea.example/",
		"https://tea.example/cb?code=abc&state=x&access_token=abc":                               "https://tea.example/cb?code=[redacted]&state=x&access_token=[redacted]",
		"https://tea.example/?X-Amz-Signature=abc&X-Amz-Date=1&sig=1&Key=2":                      "https://tea.example/?X-Amz-Signature=[redacted]&X-Amz-Date=1&sig=[redacted]&Key=[redacted]",
		"https://tea.example/?session%49d=abc&empty_token=":                                      "https://tea.example/?session%49d=[redacted]&empty_token=",
		"https://tea.example/#id_token=abc&x=1":                                                  "https://tea.example/#id_token=[redacted]&x=1",
		"data:image/png;base64,aGVsbG8=":                                                         "data:image/png;base64",
		"https://tea.example/hook/sk-abcdefgh12345678/x":                                         "https://tea.example/hook/[redacted]/x",
		"https://tea.example/?url=https%3A%2F%2Fapp.example%2Freset%3Ftoken%3DhunterABC&data=05": "https://tea.example/?url=[redacted]&data=05",
		"https://tea.example/?next=%252Fcb%253Fcode%253Dabc#a":                                   "https://tea.example/?next=[redacted]#a",
		"https://tea.example/?next=https%3A%2F%2Fa.test%2F%3Fpage%3D2":                           "https://tea.example/?next=https%3A%2F%2Fa.test%2F%3Fpage%3D2",
		"https://tea.example/#url=https%3A%2F%2Fa.test%2F%3Ftoken%3DhunterABC":                   "https://tea.example/#url=https://a.test/?token=[redacted]",
		"": "",
	} {
		if got := URL(given); got != want {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
	}
	if got := URL("https://tea.example/" + strings.Repeat("x", 5000)); len(got) > maxURL+3 {
		t.Errorf("an address of %d characters", len(got))
	}
}

func TestHeaders(t *testing.T) {
	// Ensure that headers whose name tells of a secret lose their value, that addresses in others lose theirs, and that there are never too many.
	got := Headers(map[string]any{
		"Authorization": "Basic abc", "cookie": "a=b", "Set-Cookie": "a=b", "Proxy-Connection": "x", "X-API-Key": "k", "X-CSRF-Token": "t",
		"My-Session": "s", "Client-Secret": "s", "Location": "https://a.example/?token=abc", "Content-Type": "text/html", "X-Note": "Bearer abcdefghijkl",
	})
	for _, name := range []string{"Authorization", "cookie", "Set-Cookie", "Proxy-Connection", "X-API-Key", "X-CSRF-Token", "My-Session", "Client-Secret"} {
		if got[name] != Mark {
			t.Errorf("%s is %q", name, got[name])
		}
	}
	if got["Location"] != "https://a.example/?token=[redacted]" || got["Content-Type"] != "text/html" || got["X-Note"] != "Bearer [redacted]" {
		t.Errorf("the others are %v", got)
	}
	many := map[string]any{}
	for i := range 500 {
		many["X-"+strings.Repeat("a", i)] = strings.Repeat("b", 5000)
	}
	size := 0
	for name, value := range Headers(many) {
		size += len(name) + len(value)
	}
	if size > maxFields*(maxHeader+120) {
		t.Errorf("%d bytes of headers", size)
	}
}

func FuzzURL(f *testing.F) {
	f.Add("https://a.example/?token=hunter2hunter2#b=c")
	f.Add("%zz?password=hunter2hunter2")
	f.Fuzz(func(t *testing.T, raw string) {
		URL(raw)
		URL("https://a.example/?" + raw)
		if got := URL("https://a.example/" + "?password=hunter2hunter2&" + raw); strings.Contains(got, "hunter2hunter2") && !strings.Contains(raw, "hunter2") {
			t.Errorf("%q tells %s", raw, got)
		}
	})
}
