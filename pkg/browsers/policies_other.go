//go:build !windows

package browsers

// There is no registry here: folders hold the policies.

func registryPolicies(Browser) Policies { return Policies{} }
