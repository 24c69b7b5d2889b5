package webfetch

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// refused are headers that carry what a browser is signed in with, that belong to the connection, or
// that a proxy on the way would obey or believe.
var refused = []string{
	"Cookie", "Cookie2", "Host", "Connection", "Content-Length", "Transfer-Encoding", "Accept-Encoding", "Expect", "Upgrade",
	"Te", "Trailer", "Keep-Alive", "Http2-Settings", "Forwarded", "Via", "X-Real-Ip",
}

var refusedBeginnings = []string{"Proxy-", "X-Forwarded-", "Sec-"}

// shown are the headers of an answer that say something to an agent; its type, length and text are
// told apart.
var shown = []string{
	"Allow", "Content-Disposition", "Content-Language", "Content-Length", "Etag", "Last-Modified", "Link", "Retry-After", "Www-Authenticate",
}

const maxShownHeader = 500 // characters

// checkHeaders returns an error for headers that cannot be set. One that authorizes can: it is the
// caller's own key, and the log leaves its value out.
func checkHeaders(headers map[string]string) error {
	for name, value := range headers {
		key := http.CanonicalHeaderKey(name)
		begins := func(beginning string) bool { return strings.HasPrefix(key, beginning) }
		switch {
		case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return fault.New(fault.InvalidInput, "the header %q is not one of HTTP", truncate.Characters(name, 60)).WithDispatched(fault.NotDispatched)
		case slices.Contains(refused, key), slices.ContainsFunc(refusedBeginnings, begins):
			return fault.New(fault.InvalidInput, "the header %s cannot be set", name).
				WithNextStep("Leave it out. What needs the user's sign-in is done in a tab.").WithDispatched(fault.NotDispatched)
		}
	}
	return nil
}

func shownHeaders(all http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range shown {
		if value := all.Get(name); value != "" {
			found[strings.ToLower(name)] = truncate.Characters(strings.ToValidUTF8(value, "\uFFFD"), maxShownHeader)
		}
	}
	return found
}
