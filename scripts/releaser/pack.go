package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one entry of an archive.
type file struct {
	name string // in the archive, with slashes
	path string // on the disk
	mode fs.FileMode
}

// folder lists the files below a folder, under a name in the archive.
func folder(root, name string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		files = append(files, file{name: path.Join(name, filepath.ToSlash(rel)), path: p, mode: 0o644})
		return nil
	})
	return files, err
}

func sortByName(files []file) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// writeTar packs the files as .tar.gz: sorted, owned by nobody, all of one time.
func writeTar(name string, files []file, when time.Time) error {
	return create(name, func(w io.Writer) error {
		// The gzip header stays empty: no name, no time.
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		packed := tar.NewWriter(zipped)
		sortByName(files)
		for _, f := range files {
			text, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			head := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(text)), Mode: int64(f.mode), ModTime: when, Format: tar.FormatUSTAR}
			if err := packed.WriteHeader(head); err != nil {
				return err
			}
			if _, err := packed.Write(text); err != nil {
				return err
			}
		}
		if err := packed.Close(); err != nil {
			return err
		}
		return zipped.Close()
	})
}

// writeZip packs the files as .zip, which Windows and the browsers open.
func writeZip(name string, files []file, when time.Time) error {
	return create(name, func(w io.Writer) error {
		packed := zip.NewWriter(w)
		sortByName(files)
		for _, f := range files {
			text, err := os.ReadFile(f.path)
			if err != nil {
				return err
			}
			head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
			head.SetMode(f.mode)
			entry, err := packed.CreateHeader(head)
			if err != nil {
				return err
			}
			if _, err := entry.Write(text); err != nil {
				return err
			}
		}
		return packed.Close()
	})
}

func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// checksums writes SHA256SUMS of all files of the folder, as sha256sum reads it.
func checksums(dir string) error {
	files, err := folder(dir, "")
	if err != nil {
		return err
	}
	sortByName(files)
	var sums strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), f.name)
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
