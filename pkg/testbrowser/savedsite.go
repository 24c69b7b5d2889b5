package testbrowser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/origin"
)

// savedSite serves one saved page at a time, at the address that it was saved from. Files
// beside it are served beside it.
type savedSite struct {
	plain, secure net.Listener
	server        *http.Server
	key           string // the hash of the certificate's public key
	rules         []string

	mu      sync.Mutex
	address *url.URL
	folder  *os.Root
	file    string // in the folder
	refused string // method and path of the first request of the page that nothing answers
}

// newSavedSite starts the server for the pages of the suites, on loopback.
func newSavedSite(suites []Suite) (_ *savedSite, err error) {
	s := &savedSite{}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	certificate, err := s.makeCertificate()
	if err != nil {
		return nil, err
	}
	if s.plain, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if s.secure, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.secure = tls.NewListener(s.secure, &tls.Config{Certificates: []tls.Certificate{certificate}})
	known := map[string]bool{}
	for _, suite := range suites {
		for _, c := range suite.Cases {
			at, err := origin.Parse(c.Address)
			if err != nil {
				return nil, err
			}
			to := s.plain
			if at.Scheme == "https" {
				to = s.secure
			}
			rule := fmt.Sprintf("MAP %s %s", net.JoinHostPort(at.Host, fmt.Sprint(at.Port)), to.Addr())
			if !known[rule] {
				known[rule] = true
				s.rules = append(s.rules, rule)
			}
		}
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	for _, listener := range []net.Listener{s.plain, s.secure} {
		go func() { _ = s.server.Serve(listener) }() // it ends with Close
	}
	return s, nil
}

// arguments are those of a browser that reaches nothing but the saved pages.
func (s *savedSite) arguments() []string {
	return []string{
		"--host-resolver-rules=" + strings.Join(append(s.rules, "MAP * ~NOTFOUND"), ", "),
		"--no-proxy-server", "--ignore-certificate-errors-spki-list=" + s.key,
	}
}

// makeCertificate makes the key that this run's browser trusts, whatever the name.
func (s *savedSite) makeCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"saved.invalid"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, err
	}
	sum := sha256.Sum256(made.RawSubjectPublicKeyInfo)
	s.key = base64.StdEncoding.EncodeToString(sum[:])
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// show makes a file the page at the address.
func (s *savedSite) show(address, folder, file string) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder != nil {
		_ = s.folder.Close() // it was only read
	}
	s.address, s.folder, s.file, s.refused = at, root, file, ""
	return nil
}

// unanswered returns the method and path of the first request of the shown page that nothing
// answers; empty for none.
func (s *savedSite) unanswered() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// refuse answers a request for what is not there. The lock is held.
func (s *savedSite) refuse(w http.ResponseWriter, r *http.Request, message string, code int) {
	if s.refused == "" && isRequestOfScript(r) {
		s.refused = r.Method + " " + r.URL.Path
	}
	http.Error(w, message, code)
}

// ServeHTTP serves the page and the files beside it.
func (s *savedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	if s.folder == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.refuse(w, r, "a saved page answers nothing else", http.StatusMethodNotAllowed)
		return
	}
	name, ok := s.fileFor(r.URL.Path)
	if !ok {
		s.refuse(w, r, "not there", http.StatusNotFound)
		return
	}
	if name == s.file {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	text, err := fs.ReadFile(s.folder.FS(), name)
	if err != nil {
		s.refuse(w, r, "not there", http.StatusNotFound)
		return
	}
	http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(text)))
}

// isRequestOfScript reports whether a page or a script of it may go on differently for the answer; a picture or a
// style that is missing says nothing of the action.
func isRequestOfScript(r *http.Request) bool {
	accept, to := r.Header.Get("Accept"), r.Header.Get("Sec-Fetch-Dest")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return true
	case strings.Contains(accept, "text/html"): // a document
		return true
	}
	return to == "empty" || to == "" && accept == "*/*" && path.Ext(r.URL.Path) != ".js"
}

// fileFor returns the file of the folder for a path of the site.
func (s *savedSite) fileFor(at string) (string, bool) {
	page := s.address.Path
	if page == "" {
		page = "/"
	}
	if at == page {
		return s.file, true
	}
	below, ok := strings.CutPrefix(at, page[:strings.LastIndexByte(page, '/')+1])
	name := path.Join(path.Dir(s.file), below)
	for segment := range strings.SplitSeq(below, "/") { // above it, and hidden, is nothing of the page's
		if strings.HasPrefix(segment, ".") {
			return "", false
		}
	}
	return name, ok && below != "" && fs.ValidPath(name)
}

// Close ends the server.
func (s *savedSite) Close() error {
	var errs []error
	if s.server != nil {
		errs = append(errs, s.server.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder != nil {
		errs = append(errs, s.folder.Close())
	}
	return errors.Join(errs...)
}
