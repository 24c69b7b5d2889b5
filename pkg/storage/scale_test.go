package storage_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// manyHosts writes one map for each of many hosts, with old times, so that the cache can trust
// its stamps.
func manyHosts(b *testing.B, count int) string {
	b.Helper()
	root := b.TempDir()
	for i := range count {
		write(b, root, fmt.Sprintf("scopes/private/sites/site%d.example/actions.json", i), mapText("", fmt.Sprintf("tool.n%d", i)))
	}
	makeOld(b, root)
	return root
}

// BenchmarkManyHosts measures what a call, a list and an import cost beside the number of hosts.
func BenchmarkManyHosts(b *testing.B) {
	for _, count := range []int{100, 1000, 10_000} {
		root := manyHosts(b, count)
		b.Run(fmt.Sprintf("match/%d", count), func(b *testing.B) {
			s := open(b, root)
			for b.Loop() {
				if site := s.Match("https://www.site7.example/page"); len(site.Maps) != 1 {
					b.Fatal(site)
				}
			}
		})
		b.Run(fmt.Sprintf("list/%d", count), func(b *testing.B) {
			s := open(b, root)
			for b.Loop() {
				if items, skipped := s.List(); len(items) != count || len(skipped) > 0 {
					b.Fatal(len(items), skipped)
				}
			}
		})
		bundle, _, err := open(b, root).Export()
		if err != nil {
			b.Fatal(err)
		}
		text, err := json.Marshal(bundle)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("import/%d", count), func(b *testing.B) {
			for b.Loop() {
				if result, err := open(b, b.TempDir()).Import(text); err != nil || result.UpdatedCount != count {
					b.Fatal(result, err)
				}
			}
		})
	}
}
