//go:build !windows

package install

import "github.com/actionsjson/actions-host/pkg/browsers"

// There is no registry here; folders name the manifests.

func registered(browsers.Browser, string) []Place        { return nil }
func registeredOthers(browsers.Browser, string) []string { return nil }
func register(_, _ string) error                         { return nil }
func unregister(_, _ string) (bool, error)               { return false, nil }
