//go:build !windows

package browserapp

// There is no registry here: folders hold the policies.

func registryPolicies(Kind) Policies { return Policies{} }
