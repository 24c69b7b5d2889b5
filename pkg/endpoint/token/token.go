// Package token keeps the tokens of those who may ask the endpoint for a message.
//
// Rules of this package:
//   - A token is 192 random bits. What is stored is its hash, one file a token, which only its
//     owner may read: two programs that make or remove some never overwrite each other's.
//   - A token leaves this package only as the return value of [Store.New].
//   - A check compares with all tokens, in a time that says nothing of them.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// Length is the number of hex digits of a token.
const Length = 48

const (
	idBytes = 4
	most    = 64 // tokens; each check reads them all
	maxFile = 1024
	suffix  = ".json"
)

// idShape is what an id, and so the name of a file, may be.
var idShape = regexp.MustCompile(`^[0-9a-f]{8}$`)

// Token describes a token.
type Token struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
}

// stored is the content of a file.
type stored struct {
	Created time.Time `json:"created"`
	SHA256  string    `json:"sha256"`
}

// Store is a folder of tokens.
type Store struct{ Folder string }

// Default is the store in the data folder.
func Default() Store { return Store{filepath.Join(paths.Data(), "tokens")} }

// New makes a token.
func (s Store) New(now time.Time) (Token, string, error) {
	all, err := s.List()
	if err != nil {
		return Token{}, "", err
	}
	if len(all) >= most {
		return Token{}, "", fault.New(fault.InvalidInput, "there are %d tokens, which are the most there may be", len(all)).
			WithNextStep("Remove those that nobody uses: actions-host token list.")
	}
	if err := paths.MakePrivate(s.Folder); err != nil {
		return Token{}, "", err
	}
	secret := randomHex(Length / 2)
	made := Token{ID: randomHex(idBytes), Created: now.UTC().Truncate(time.Second)}
	hash := sha256.Sum256([]byte(secret))
	text, err := json.Marshal(stored{Created: made.Created, SHA256: hex.EncodeToString(hash[:])})
	if err != nil {
		return Token{}, "", err
	}
	if err := wholefile.Create(s.file(made.ID), append(text, '\n'), 0o600); err != nil {
		return Token{}, "", fault.Wrap(err, fault.StorageUnavailable, "the token cannot be stored in %s: %v", s.Folder, err)
	}
	return made, secret, nil
}

// List returns the tokens, the oldest first.
func (s Store) List() ([]Token, error) {
	var all []Token
	err := s.each(func(t Token, _ []byte) { all = append(all, t) })
	slices.SortFunc(all, func(a, b Token) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, err
}

// Remove removes a token, which from then on is refused.
func (s Store) Remove(id string) error {
	unknown := fault.New(fault.InvalidInput, "there is no such token").WithNextStep("actions-host token list has the ids.")
	if !idShape.MatchString(id) {
		return unknown
	}
	err := os.Remove(s.file(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unknown
	case err != nil:
		return fault.Wrap(err, fault.StorageUnavailable, "the token cannot be removed: %v", err)
	}
	return nil
}

// Check reports whether the text is one of the tokens.
func (s Store) Check(text string) (bool, error) {
	// The hash has one length for all texts, and a guess that is near a token is not near its hash.
	hash := sha256.Sum256([]byte(text))
	found := 0
	err := s.each(func(_ Token, want []byte) { found |= subtle.ConstantTimeCompare(hash[:], want) })
	return found == 1, err
}

// each calls visit with every token and its hash. A file that cannot be trusted is an error:
// leaving it out would refuse a token without saying why.
func (s Store) each(visit func(Token, []byte)) error {
	entries, err := os.ReadDir(s.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the tokens in %s cannot be read: %v", s.Folder, err)
	}
	if err := paths.CheckOwner(s.Folder); err != nil {
		return err
	}
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), suffix)
		if !ok || !idShape.MatchString(id) {
			continue
		}
		t, hash, err := s.read(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed in this moment
		}
		if err != nil {
			return err
		}
		visit(t, hash)
	}
	return nil
}

func (s Store) read(id string) (Token, []byte, error) {
	name := s.file(id)
	info, err := os.Lstat(name)
	if err != nil {
		return Token{}, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile || paths.OpenToOthers(info) {
		return Token{}, nil, fault.New(fault.StorageUnavailable, "the token file %s can be reached by others, or is none", name).
			WithNextStep("Run chmod 600 on it, or remove it.")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return Token{}, nil, err
	}
	var in stored
	if err := strictjson.Decode(text, &in, strictjson.Limits{MaxBytes: maxFile}); err != nil {
		return Token{}, nil, broken(name)
	}
	hash, err := hex.DecodeString(in.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return Token{}, nil, broken(name)
	}
	return Token{ID: id, Created: in.Created}, hash, nil
}

func broken(name string) error {
	return fault.New(fault.StorageUnavailable, "the token file %s is damaged", name).
		WithNextStep("Remove the file, and make a token in its place with actions-host token new.")
}

func (s Store) file(id string) string { return filepath.Join(s.Folder, id+suffix) }

func randomHex(bytes int) string {
	random := make([]byte, bytes)
	_, _ = rand.Read(random) // it never fails
	return hex.EncodeToString(random)
}
