package storage_test

import (
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/storage"
)

func TestView(t *testing.T) {
	// Ensure that a call sees one version of a page's maps, that the next call sees the files as they are then, and that
	// another page is matched by itself.
	root := t.TempDir()
	const mine, other = "scopes/private/sites/example.com/a/actions.json", "https://other.test/"
	write(t, root, mine, mapText("", "before"))
	s := open(t, root)
	names := func(site storage.Site) (names []string) {
		for _, o := range site.Offers() {
			names = append(names, o.Tool.Name)
		}
		return names
	}
	first := storage.WithView(t.Context())
	if got := names(s.View(first, page)); !slices.Equal(got, []string{"before"}) {
		t.Fatalf("the first view has %q", got)
	}
	write(t, root, mine, mapText("", "after", "more"))
	write(t, root, "scopes/private/sites/other.test/actions.json", mapText("", "elsewhere"))
	if got := names(s.View(first, page)); !slices.Equal(got, []string{"before"}) {
		t.Errorf("later in the call the view has %q", got)
	}
	if got := names(s.View(first, other)); !slices.Equal(got, []string{"elsewhere"}) {
		t.Errorf("another page has %q", got)
	}
	if got := names(s.View(storage.WithView(t.Context()), page)); !slices.Equal(got, []string{"after", "more"}) {
		t.Errorf("the next call has %q", got)
	}
	if got := names(s.View(t.Context(), page)); !slices.Equal(got, []string{"after", "more"}) {
		t.Errorf("outside of a call there are %q", got)
	}
}
