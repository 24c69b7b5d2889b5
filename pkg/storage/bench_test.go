package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/storage"
)

// manyMaps writes maps for hosts of ten maps each, with the old times of a real
// folder, so that the cache can trust its stamps.
func manyMaps(b *testing.B, count int) string {
	b.Helper()
	root := b.TempDir()
	for i := range count {
		host := fmt.Sprintf("site%d.test", i/10)
		write(b, root, fmt.Sprintf("scopes/private/sites/%s/s%d/actions.json", host, i), mapText("", fmt.Sprintf("tool.n%d", i)))
	}
	makeOld(b, root)
	return root
}

// makeOld sets the times of all files below a folder to an hour ago.
func makeOld(b *testing.B, root string) {
	b.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMaps measures the first match, which reads the maps of the page's
// host, a later one, which looks whether something changed, and those of a stored action
// of ten steps.
func BenchmarkMaps(b *testing.B) {
	for _, count := range []int{1, 100, 1000} {
		root := manyMaps(b, count)
		want := min(count, 10)
		match := func(b *testing.B, s *storage.Store) {
			if site := s.Match("https://site0.test/page"); len(site.Maps) != want {
				b.Fatal(len(site.Maps))
			}
		}
		b.Run(fmt.Sprintf("load/%d", count), func(b *testing.B) {
			for b.Loop() {
				match(b, open(b, root))
			}
		})
		b.Run(fmt.Sprintf("match/%d", count), func(b *testing.B) {
			s := open(b, root)
			for b.Loop() {
				match(b, s)
			}
		})
		b.Run(fmt.Sprintf("ten steps/%d", count), func(b *testing.B) {
			s := open(b, root)
			for b.Loop() {
				for range 11 { // the action and each step are decided by the maps of the moment
					match(b, s)
				}
				ctx := storage.WithView(b.Context())
				for range 4 { // the action runs, attaches and observes
					if site := s.View(ctx, "https://site0.test/page"); len(site.Maps) != want {
						b.Fatal(len(site.Maps))
					}
				}
			}
		})
	}
}
