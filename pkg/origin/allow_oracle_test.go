package origin_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

var patternForm = regexp.MustCompile(`^(?i:https?)://(\*\.)?([^*/?#@\\ ]+?)(:\*|:[0-9]+)?$`)

// oracleAllows decides a second time, by the labels of both hosts. The pattern is not
// valid where it is none.
func oracleAllows(pattern string, page origin.Origin) (valid, allowed bool) {
	parts := patternForm.FindStringSubmatch(pattern)
	if parts == nil {
		return false, false
	}
	below, host, port := parts[1] != "", parts[2], parts[3]
	if name, bracketed := strings.CutPrefix(host, "["); strings.Contains(host, ":") && !(bracketed && strings.Index(name, "]") == len(name)-1) {
		return false, false
	}
	named, err := origin.Parse(pattern[:strings.Index(pattern, "://")+3] + host + strings.TrimSuffix(port, ":*"))
	if err != nil {
		return false, false
	}
	numeric := strings.Contains(named.Host, ":") || regexp.MustCompile(`^[0-9.]+$`).MatchString(named.Host)
	if below && (numeric || belongToDifferentOwners(strings.TrimSuffix(named.Host, "."))) {
		return false, false
	}
	if page.Scheme != named.Scheme || port != ":*" && page.Port != named.Port {
		return true, false
	}
	want, got := strings.Split(named.Host, "."), strings.Split(page.Host, ".")
	if !below {
		return true, slices.Equal(want, got)
	}
	return true, len(got) > len(want) && slices.Equal(want, got[len(got)-len(want):])
}

// belongToDifferentOwners reports whether names below the host are sites of their own, by the Public Suffix List.
func belongToDifferentOwners(host string) bool {
	suffix, icann := publicsuffix.PublicSuffix("a." + host)
	if !icann && !strings.Contains(suffix, ".") {
		return false // no rule of the list
	}
	site, err := publicsuffix.EffectiveTLDPlusOne("a." + host)
	return err != nil || site == "a."+host
}

// fataler is what a fuzz target and a rapid check have in common.
type fataler interface {
	Fatalf(format string, args ...any)
}

// checkPattern compares a pattern's check and its match with the oracle's.
func checkPattern(t fataler, pattern, url string) {
	page, pageErr := origin.Parse(url)
	text := url
	if pageErr == nil {
		text = page.String()
	}
	valid, want := oracleAllows(pattern, page)
	err := origin.CheckPattern(pattern)
	if (err == nil) != valid {
		t.Fatalf("%q: %v, the oracle says %t", pattern, err, valid)
	}
	if got := origin.Allowed([]string{pattern}, text); got != (want && pageErr == nil) {
		t.Fatalf("%q for %q: %t, the oracle says %t", pattern, text, got, want)
	}
	if text != url && origin.Allowed([]string{pattern}, url) {
		t.Fatalf("%q allows %q, which is no origin", pattern, url)
	}
	if err == nil {
		return
	}
	f := fault.From(err)
	if f.Code != fault.InvalidInput || f.NextStep == "" {
		t.Fatalf("%q: %+v", pattern, f)
	}
	meant, _ := f.Evidence["meant"].([]string)
	for _, m := range meant {
		if origin.CheckPattern(m) != nil || !strings.Contains(f.NextStep, m) {
			t.Fatalf("%q should be written %q, which is no pattern or not named: %s", pattern, m, f.NextStep)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("https://*.example.com", "https://www.example.com")
	// Ensure that patterns are accepted and matched as the simple implementation does, and that every pattern which a refusal names is one.
	f.Fuzz(func(t *testing.T, pattern, url string) {
		if len(pattern) > 300 || len(url) > 300 {
			t.Skip("no host is as long")
		}
		checkPattern(t, pattern, url)
	})
}

func TestPatternAgainstOracle(t *testing.T) {
	// Ensure that the engine and the oracle agree on patterns and addresses which are made of the same few parts, so that many match and many nearly do.
	labels := []string{"bank", "example", "www", "a", "evilbank", "com", "co", "uk", "github", "io", "ck", "xn--bcher-kva", "bücher", "*", "*bank", "bank*", "", "0x7f", "1", "localhost", "BANK"}
	hosts := rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(labels), 1, 4), func(names []string) string { return strings.Join(names, ".") }),
		rapid.SampledFrom([]string{"[::1]", "[::ffff:1.2.3.4]", "127.0.0.1", "127.0.0.1.", "*.127.0.0.1", "*.[::1]", "me@bank.example", "bank.example@evil.com"}),
	)
	ports := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "", ":*", ":", ":443", ":0443", ":80*", ":443:*", ":65536", "/", "?.bank.example", "#.bank.example"}),
		rapid.Map(rapid.IntRange(0, 70000), func(port int) string { return ":" + strconv.Itoa(port) }),
	)
	schemes := rapid.SampledFrom([]string{"https://", "https://", "https://", "http://", "HTTPS://", "blob:https://", "wss://", "*://", ""})
	rapid.Check(t, func(t *rapid.T) {
		host, port := hosts.Draw(t, "host"), ports.Draw(t, "port")
		pattern := schemes.Draw(t, "scheme") + rapid.SampledFrom([]string{"", "*."}).Draw(t, "star") + host + port
		if !rapid.Bool().Draw(t, "related") {
			host, port = hosts.Draw(t, "other host"), ports.Draw(t, "other port")
		}
		below := rapid.SampledFrom([]string{"", "", "www.", "a.b.", "evil", "."}).Draw(t, "below")
		checkPattern(t, pattern, schemes.Draw(t, "page's scheme")+below+host+rapid.SampledFrom([]string{port, "", ".", ":8443"}).Draw(t, "page's port"))
	})
}
