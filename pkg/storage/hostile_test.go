package storage_test

import "strings"

// hostilePaths are paths that no program may follow out of a folder, in the
// spellings of several systems. None of them is a plain relative path.
var hostilePaths = []string{
	"/", "//", "/etc/passwd", "//etc/passwd", "//server/share/x", "/scopes/private/x", "/../x",
	"..", "../x", "../../x", "../../../../../../../../etc/passwd", "a/..", "a/../x", "a/b/../../../x", "scopes/..", "scopes/../x",
	"scopes/private/..", "scopes/private/../../x", "scopes/private/sites/example.com/../../../../../etc/passwd",
	"scopes/private/sites/example.com/board/../../other.com/x", "scopes/private/sites/../x", "scopes/private/sites/example.com/a/..",
	".", "./x", "a/./x", "a/.", "./../x", "...", ".../x", "a/.../x", "a/.. /x", "a/..  ", "a/ ../ x/..", ".. /x", "a./x", "a /x",
	"a//x", "a/", "a//", "scopes//private/x", "scopes/private//x", "",
	"..\\x", "..\\..\\x", "a\\..\\..\\x", "\\x", "\\\\server\\share\\x", "\\\\?\\C:\\x", "scopes\\private\\..\\..\\x", "a/..\\../x", "\\..\\x",
	"C:", "C:x", "C:/x", "C:\\x", "c:/windows/win.ini", "x:stream", "a/x:$DATA", "file:///etc/passwd", "http://example.com/x", "data:,x",
	"a\x00", "\x00", "a\x00/../x", "scopes/private/x\x00.md", "a\n", "a\r/x", "a\t", "a\x7f", "a\x1b[2J", "a\u0085", "a\u202e", "a\u2066/x", "\u200fa",
	"scopes/private/.git/config", ".git/hooks/pre-commit", "a/.ssh/id_rsa", "a/.hidden/x", ".import-1/x", "~/.ssh/id_rsa",
	strings.Repeat("a/", 40) + "x", strings.Repeat("a", 256), "a/" + strings.Repeat("b", 300), strings.Repeat("a/b", 500), strings.Repeat("../", 300),
}
