package browsers

import (
	"reflect"
	"testing"
)

func TestFromRegistry(t *testing.T) {
	// Ensure that policies of the registry get the form that they have in a file, whichever way they were written there.
	type object = map[string]any
	for _, row := range []struct {
		name  string
		value any
		want  any
	}{
		{"NativeMessagingUserLevelHosts", 0.0, false},
		{"NativeMessagingUserLevelHosts", "1", true},
		{"DeveloperToolsAvailability", 2.0, 2.0},
		{"DeveloperToolsAvailability", "2", 2.0},
		{"NativeMessagingBlocklist", object{"1": "*"}, []any{"*"}},
		{"NativeMessagingBlocklist", object{}, []any(nil)},
		{"NativeMessagingBlocklist", `["*",]`, []any{"*"}},
		{"HomepageLocation", "https://shop.example/", "https://shop.example/"},
		{"ExtensionSettings", `{"*":{"installation_mode":"blocked"}}`, object{"*": object{"installation_mode": "blocked"}}},
		{"ExtensionSettings", object{"*": `{"installation_mode":"blocked"}`}, object{"*": object{"installation_mode": "blocked"}}},
		{
			"ExtensionSettings", object{"*": object{"blocked_permissions": object{"1": "debugger"}, "minimum_version_required": "9"}},
			object{"*": object{"blocked_permissions": []any{"debugger"}, "minimum_version_required": "9"}},
		},
	} {
		if got := fromRegistry(row.name, row.value); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s %v is %#v", row.name, row.value, got)
		}
	}
}
