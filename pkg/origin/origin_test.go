package origin_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// urls maps URLs to the text of their origin; "" means refused.
var urls = []struct{ url, want string }{
	{"https://example.com", "https://example.com"},
	{"https://example.com/", "https://example.com"},
	{"http://example.com/a/b?c=d#e", "http://example.com"},
	{"HTTPS://EXAMPLE.COM/Path", "https://example.com"},
	{"https://example.com?q=https://evil.com/", "https://example.com"},
	{"https://example.com#@evil.com", "https://example.com"},
	{"https://example.com?x@evil.com", "https://example.com"},
	{"https://example.com/100%", "https://example.com"}, // browsers leave a bare % as it is
	{"https://example.com/a%zz", "https://example.com"},
	{"https://example.com/ä", "https://example.com"},
	{`https://example.com/?q=a\b`, "https://example.com"}, // only a slash before the query
	{`https://example.com/#a\b`, "https://example.com"},

	// Suffix tricks: the host is what it is.
	{"https://evil-example.com/", "https://evil-example.com"},
	{"https://example.com.evil.com/", "https://example.com.evil.com"},
	{"https://example.comevil.com/", "https://example.comevil.com"},

	// User information.
	{"https://user@example.com/", "https://example.com"},
	{"https://user:secret@example.com:8443/", "https://example.com:8443"},
	{"https://example.com@evil.com/", "https://evil.com"},
	{"https://example.com:443@evil.com/", "https://evil.com"},
	{"https://example.com%2F@evil.com/", "https://evil.com"},
	{"https://@example.com/", "https://example.com"},
	{"https://a@b@example.com/", ""},
	{"https://example.com@@evil.com/", ""},
	{"https://example.com@", ""},
	{"https://user@/", ""},
	{`https://evil.com\@example.com/`, ""},
	{"https://example.com#@evil.com/", "https://example.com"},
	{"https://example.com/@evil.com", "https://example.com"},

	// Ports.
	{"https://example.com:443/", "https://example.com"},
	{"http://example.com:80", "http://example.com"},
	{"http://example.com:443", "http://example.com:443"},
	{"https://example.com:80", "https://example.com:80"},
	{"https://example.com:8443/x", "https://example.com:8443"},
	{"https://example.com:65535", "https://example.com:65535"},
	{"https://example.com:/", "https://example.com"},
	{"https://example.com:0", ""},
	{"https://example.com:65536", ""},
	{"https://example.com:99999999999999999999", ""},
	{"https://example.com:-1", ""},
	{"https://example.com:+443", ""},
	{"https://example.com:0443", ""},
	{"https://example.com:4 43", ""},
	{"https://example.com:http", ""},
	{"https://example.com:443:443", ""},
	{"https://:443/", ""},

	// Punycode and Unicode.
	{"https://bücher.de/", "https://xn--bcher-kva.de"},
	{"https://BÜCHER.de/", "https://xn--bcher-kva.de"},
	{"https://xn--bcher-kva.de/", "https://xn--bcher-kva.de"},
	{"https://XN--BCHER-KVA.DE/", "https://xn--bcher-kva.de"},
	{"https://faß.de/", "https://xn--fa-hia.de"},
	{"https://ｅｘａｍｐｌｅ.com/", "https://example.com"},
	{"https://example。com/", "https://example.com"},
	{"https://exam\u00adple.com/", "https://example.com"},
	{"https://еxample.com/", "https://xn--xample-2of.com"}, // a Cyrillic letter stays visible
	{"https://xn--a.com/", ""},
	{"https://xn--.com/", ""},
	{"https://a\u200db.com/", ""},
	{"https://example.com\u2028/", ""},
	{"https://evil.com\uff0f.example.com/", ""},                                      // a wide slash maps to a slash
	{"https://evil.com\u2044.example.com/", "https://evil.xn--com-qt0a.example.com"}, // looks like a slash, is a letter
	{"https://" + strings.Repeat("ü", 100_000) + ".com/", ""},                        // mapping it would take seconds

	// Dots and lengths.
	{"https://example.com./", "https://example.com."}, // another host to browsers
	{"https://EXAMPLE.com.:443/", "https://example.com."},
	{"https://example.com../", ""},
	{"https://.example.com/", ""},
	{"https://example..com/", ""},
	{"https://./", ""},
	{"https://" + strings.Repeat("a", 63) + ".com", "https://" + strings.Repeat("a", 63) + ".com"},
	{"https://" + strings.Repeat("a", 64) + ".com", ""},
	{"https://" + strings.Repeat("a.", 126) + "com", ""},

	// Names that occur.
	{"http://localhost:3000/", "http://localhost:3000"},
	{"http://LOCALHOST", "http://localhost"},
	{"http://intranet/", "http://intranet"},
	{"https://my_app.example.com/", "https://my_app.example.com"},
	{"https://-a-.example.com/", "https://-a-.example.com"},
	{"https://3com.com/", "https://3com.com"},

	// Addresses.
	{"http://127.0.0.1:8080/", "http://127.0.0.1:8080"},
	{"http://127.0.0.1./", "http://127.0.0.1"},
	{"http://１２７.0.0.1/", "http://127.0.0.1"},
	{"http://127.1/", ""},
	{"http://2130706433/", ""},
	{"http://0x7f000001/", ""},
	{"http://0x7f.0.0.1/", ""},
	{"http://010.0.0.1/", ""},
	{"http://127.0.0.01/", ""},
	{"http://256.0.0.1/", ""},
	{"http://1.2.3.4.5/", ""},
	{"http://example.0x/", ""},
	{"http://example.1/", ""},
	{"http://[::1]/", "http://[::1]"},
	{"http://[::1]:3000/", "http://[::1]:3000"},
	{"http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]"},
	{"http://[2001:DB8::1]/", "http://[2001:db8::1]"},
	{"http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]"},
	{"http://[::1%25eth0]/", ""},
	{"http://[::1%eth0]/", ""},
	{"http://[::1/", ""},
	{"http://::1/", ""},
	{"http://[::1]x/", ""},
	{"http://[::1].example.com/", ""},
	{"http://x[::1]/", ""},
	{"http://[127.0.0.1]/", ""},
	{"http://[]/", ""},
	{"http://[v1.x]/", ""},

	// What browsers drop, replace or forgive.
	{`https:\\example.com\`, ""},
	{`https:/\example.com/`, ""},
	{`https://example.com\.evil.com/`, ""},
	{`https://example.com/a\b`, ""},
	{"https:/example.com/", ""},
	{"https:example.com", ""},
	{"https:///example.com/", ""},
	{"https:////example.com/", ""},
	{"//example.com/", ""},
	{"/path", ""},
	{"example.com", ""},
	{"example.com:443", ""},
	{"", ""},
	{" https://example.com/", ""},
	{"https://example.com/ ", ""},
	{"\thttps://example.com/", ""},
	{"ht\ttps://example.com/", ""},
	{"https://exa\tmple.com/", ""},
	{"https://example.com\n.evil.com/", ""},
	{"https://example.com/\r\nHost: evil.com", ""},
	{"https://example.com/\x00", ""},
	{"https://example.com/\x7f", ""},
	{"https://example.com\xff/", ""},
	{"https://exam ple.com/", ""},
	{"https://ex%61mple.com/", ""},
	{"https://example.com%00.evil.com/", ""},
	{"https://example.com%2eevil.com/", ""},
	{"https://exam<ple.com/", ""},
	{"https://exam|ple.com/", ""},
	{"https://example.com,evil.com/", ""},
	{"https://example.com;evil.com/", ""},
	{"https://*.example.com/", ""},

	// Pages without an operable origin.
	{"about:blank", ""},
	{"about:srcdoc", ""},
	{"blob:https://example.com/1f3c", ""},
	{"data:text/html,<a href=https://example.com>", ""},
	{"javascript:location='https://example.com'", ""},
	{"file:///etc/passwd", ""},
	{"file://example.com/x", ""},
	{"chrome://settings", ""},
	{"chrome-extension://encoedhnbaoknbelphgpkjkgfjfllgcc/popup.html", ""},
	{"devtools://devtools/bundled/x.html", ""},
	{"view-source:https://example.com/", ""},
	{"filesystem:https://example.com/temporary/x", ""},
	{"ws://example.com/", ""},
	{"wss://example.com/", ""},
	{"ftp://example.com/", ""},
	{"httpss://example.com/", ""},
	{"http+unix://example.com/", ""},
	{"://example.com/", ""},
	{"1http://example.com/", ""},
	{"ｈttps://example.com/", ""},
}

func TestParse(t *testing.T) {
	// Ensure that each URL parses to its origin or is rejected, that the text of
	// an origin parses to the same origin, and that an error never contains the query.
	if len(urls) < 120 {
		t.Fatalf("%d URLs; at least 120 are wanted", len(urls))
	}
	for _, test := range urls {
		got, err := origin.Parse(test.url)
		if operable := origin.Operable(test.url); operable != (err == nil) {
			t.Errorf("%q: operable is %v, the error %v", test.url, operable, err)
		}
		if test.want == "" {
			if !fault.Is(err, fault.RestrictedPage) {
				t.Errorf("%q: got %v, %v; want restricted_page", test.url, got, err)
			}
			continue
		}
		if err != nil || got.String() != test.want {
			t.Errorf("%q: got %v, %v; want %s", test.url, got, err, test.want)
			continue
		}
		if again, err := origin.Parse(got.String()); err != nil || again != got {
			t.Errorf("%q: %s is read as %v, %v", test.url, got, again, err)
		}
	}
	_, err := origin.Parse("data:text/plain?token=hunter2")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestParseFields(t *testing.T) {
	// Ensure that default ports are filled in and an address has no brackets.
	for url, want := range map[string]origin.Origin{
		"https://Example.com":  {Scheme: "https", Host: "example.com", Port: 443},
		"http://example.com":   {Scheme: "http", Host: "example.com", Port: 80},
		"http://[::1]:8080/":   {Scheme: "http", Host: "::1", Port: 8080},
		"http://example.com:8": {Scheme: "http", Host: "example.com", Port: 8},
	} {
		if got, err := origin.Parse(url); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", url, got, err)
		}
	}
}
