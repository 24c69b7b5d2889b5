package loopguard

import (
	"net/url"
	"regexp"
	"strings"
)

// key identifies a call by its name and arguments.
func (c Call) key() string { return c.Name + "\n" + c.Arguments }

// scope identifies what the rule counts of a call: what it does at an element, wherever it names
// one, and what a request asks for.
func (c Call) scope(rule Rule) string {
	switch {
	case rule == FailingURL:
		return string(rule) + "\n" + c.Name + "\n" + c.Method + " " + identity(c.URL)
	case rule == FailingTarget && c.Target != "":
		return string(rule) + "\n" + c.Page + "\n" + c.Name + "\n" + c.Target
	case rule == FailingTarget:
		return string(rule) + "\n" + c.Page + "\n" + c.key()
	case rule == NotScrolling:
		return string(rule) + "\n" + c.Name + "\n" + c.Target
	default:
		return string(rule) + "\n" + c.key()
	}
}

func (c Call) isGet() bool { return c.URL != "" && c.Method == "GET" }

// identity returns the same for two addresses of the same content: method, host, path and query
// count, the fragment does not; the forms in which GitHub serves one file are one.
func identity(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	host := strings.ToLower(u.Host)
	if file, ok := gitHubFile(host, u); ok {
		return "github.com::" + file
	}
	return host + u.EscapedPath() + "?" + u.RawQuery
}

var (
	rawFile  = regexp.MustCompile(`^/([^/]+/[^/]+)/(?:refs/heads/)?[^/]+/(.+)$`)
	blobFile = regexp.MustCompile(`^/([^/]+/[^/]+)/(?:blob|raw|edit|blame)/[^/]+/(.+)$`)
	apiFile  = regexp.MustCompile(`^/repos/([^/]+/[^/]+)/contents/(.+)$`)
)

// gitHubFile returns owner, repository and path. The branch is left out: a model tries main and
// master in turns.
func gitHubFile(host string, u *url.URL) (file string, ok bool) {
	form, known := map[string]*regexp.Regexp{"raw.githubusercontent.com": rawFile, "github.com": blobFile, "api.github.com": apiFile}[host]
	if !known {
		return "", false
	}
	m := form.FindStringSubmatch(u.EscapedPath())
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[1]) + "/" + m[2], true
}
