// Package manifest embeds everything that the project declares: the primitive
// dictionary, the messages between host and extension, the error codes and the
// format of action maps.
//
// Rules of this package:
//   - It holds declarations and no behaviour; Go and TypeScript types are
//     generated from them (scripts/generate) and a test fails on drift.
//   - It imports nothing of this module.
package manifest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// HostName is the native messaging name of the host, as the browser knows it.
const HostName = "com.actionsjson.host"

// SecretEvent is the event that a field is sent to ask whether it has held a
// secret: whoever has seen it as a password field listens and prevents its default.
const SecretEvent = "actions-host.secret"

// SecretAutocomplete is what autocomplete says of fields that hold secrets.
var SecretAutocomplete = []string{"current-password", "new-password", "one-time-code", "cc-number", "cc-csc"}

// ExtensionID is the id that ExtensionKey pins: the first 16 bytes of the
// SHA-256 of the key, in hex with the digits mapped to a-p.
const ExtensionID = "encoedhnbaoknbelphgpkjkgfjfllgcc"

// ExtensionURL begins the address of each of the extension's own pages.
const ExtensionURL = "chrome-extension://" + ExtensionID + "/"

// IsExtensionPage reports whether the address is that of one of the extension's own
// pages, such as the pane in a page of the user's.
func IsExtensionPage(url string) bool { return strings.HasPrefix(url, ExtensionURL) }

// ExtensionKey is the extension's public key (base64 of its DER form), the
// value of "key" in extension/manifest.json.
const ExtensionKey = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnYfLcRftQosrT5dPERqot/vSVPNLTJ6MgrQ0xVCH52PwjrB7vNPRxI1TuoQr0ZZy6h8+9KqKkXIHJn/B2lnzSDkoWmOWoeIXuYYTye/FnGWzAxsr8vvSVHsZd3mZWQeX+1toDMg8b8A6GToBur+o5cvMNRM5IoT7O4tl59SJsbY0a2G+maxOQq+NQN02wqKvujNuA+0wqNjbR2gfEm4FtfU/Am4rxuPjlS4mSnKazLHiSHz6/AZKb8g5SGkK+iTJd1z+p7SzkTLSrjLa4RC4kHz9Pomhl2AqEH7M8ZYUmxLbf1Dp/2Ri218fTpPJM6Sjgcg9j/MBKu2UKWIPvf7UTwIDAQAB"

// Files holds the declarations that the program reads while it runs, under
// their names below manifest/; the others become code, or are for editors.
//
//go:embed primitives/*.json primitives.definitions.json native-messaging/*.json actions.test.schema.json
var Files embed.FS

// PrimitiveNames returns the names of all primitives, sorted: those of their files.
func PrimitiveNames() []string {
	entries, err := fs.ReadDir(Files, "primitives")
	if err != nil {
		panic(err) // the folder is embedded: it cannot be missing
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names)
	return names
}

// Primitive returns the raw text of a primitive's record. It panics for a name without one.
func Primitive(name string) []byte {
	text, err := Files.ReadFile(path.Join("primitives", name+".json"))
	if err != nil {
		panic(err)
	}
	return text
}

// Primitives returns the raw text of each primitive's record by its name.
func Primitives() map[string][]byte {
	records := map[string][]byte{}
	for _, name := range PrimitiveNames() {
		records[name] = Primitive(name)
	}
	return records
}

// DictionaryHash is the SHA-256, in hex, of all primitive records in the order
// of their file names and of the definitions they share. Both sides name theirs in the handshake.
var DictionaryHash = sync.OnceValue(hashOfRecords)

func hashOfRecords() string {
	entries, err := fs.ReadDir(Files, "primitives")
	if err != nil {
		panic(err)
	}
	sum := sha256.New()
	for _, e := range entries {
		text, err := Files.ReadFile(path.Join("primitives", e.Name()))
		if err != nil {
			panic(err)
		}
		sum.Write([]byte(e.Name() + "\n"))
		sum.Write(text)
	}
	text, err := Files.ReadFile(sharedDefinitions)
	if err != nil {
		panic(err)
	}
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}
