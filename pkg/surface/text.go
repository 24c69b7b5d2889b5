package surface

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonpart"
)

// prose reads a text that authors also write as a list of lines.
func prose(p jsonpart.Part) string { return strings.Join(p.Texts(), "\n") }

// first gives the first of some texts that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
