//go:build !windows

package install

import "github.com/actionsjson/actions-host/pkg/browserapp"

// There is no registry here: folders name the manifests.

func registered(browserapp.Kind, string) []Place        { return nil }
func registeredOthers(browserapp.Kind, string) []string { return nil }
func register(_, _ string) error                        { return nil }
func unregister(_, _ string) (bool, error)              { return false, nil }
