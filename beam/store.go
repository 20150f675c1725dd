package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// An address names an object, or a folder, in a bucket.
type address struct {
	Bucket string // as package blob opens it, such as s3://name?region=eu-central-1
	Key    string
}

// parseAddress reads an address such as s3://bucket/folder/file.csv?region=eu-central-1. For files, the
// bucket is a folder: file:///data/plant/file.csv.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, err
	}
	switch u.Scheme {
	case "s3", "gs", "azblob":
		bucket := url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: u.RawQuery}
		return address{bucket.String(), strings.TrimPrefix(u.Path, "/")}, nil
	case "file":
		dir, name := path.Split(u.Path)
		q := u.Query()
		q.Set("metadata", "skip")
		q.Set("no_tmp_dir", "true")
		q.Set("dir_file_mode", "0700") // others on this machine must not read what is in a new folder
		bucket := url.URL{Scheme: "file", Path: dir, RawQuery: q.Encode()}
		return address{bucket.String(), name}, nil
	}
	return address{}, fmt.Errorf("%s: want an address that begins with s3://, gs://, azblob:// or file://", text)
}

// parseFolder reads the address of a folder, which may end with a slash.
func parseFolder(text string) (address, error) {
	path, query, some := strings.Cut(text, "?")
	path = strings.TrimSuffix(path, "/")
	if some {
		path += "?" + query
	}
	return parseAddress(path)
}

// in returns the address of an object in a folder.
func (a address) in(name string) address {
	a.Key = path.Join(a.Key, name)
	return a
}

func (a address) String() string {
	bucket, _, _ := strings.Cut(a.Bucket, "?")
	return strings.TrimSuffix(bucket, "/") + "/" + a.Key
}

// name returns the address of an object as users write it: the path of a file, the address of others.
func (a address) name() string { return strings.TrimPrefix(a.String(), "file://") }

// private are the rights to files: only their owner may read them.
var private = &blob.WriterOptions{BeforeWrite: func(as func(any) bool) error {
	var f *os.File
	if as(&f) {
		return f.Chmod(0o600)
	}
	return nil
}}

// buckets holds the buckets that this process has opened.
var buckets struct {
	sync.Mutex
	open map[string]*blob.Bucket
}

func open(ctx context.Context, name string) (*blob.Bucket, error) {
	buckets.Lock()
	defer buckets.Unlock()
	if b := buckets.open[name]; b != nil {
		return b, nil
	}
	b, err := blob.OpenBucket(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, err
	}
	if buckets.open == nil {
		buckets.open = map[string]*blob.Bucket{}
	}
	buckets.open[name] = b
	return b, nil
}

// explain names an object in an error.
func explain(of address, err error) error {
	switch gcerrors.Code(err) {
	case gcerrors.OK:
		return nil
	case gcerrors.NotFound:
		return fmt.Errorf("%s is missing", of)
	case gcerrors.PermissionDenied:
		return fmt.Errorf("%s: access is denied: give this program and all workers credentials, as the tools of the cloud take them", of)
	}
	return fmt.Errorf("%s: %w", of, err)
}

// try calls f up to five times, with growing pauses, until it has no error that may pass. It names the
// object in the error.
func try(ctx context.Context, of address, f func(b *blob.Bucket) error) error {
	b, err := open(ctx, of.Bucket)
	if err != nil {
		return explain(of, err)
	}
	for pause := 100 * time.Millisecond; ; pause *= 3 {
		err := f(b)
		switch gcerrors.Code(err) {
		case gcerrors.OK, gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.Canceled, gcerrors.InvalidArgument:
			return explain(of, err)
		}
		if pause > 10*time.Second || ctx.Err() != nil {
			return explain(of, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// read returns a whole object.
func read(ctx context.Context, of address) (text []byte, err error) {
	return text, try(ctx, of, func(b *blob.Bucket) error {
		text, err = b.ReadAll(ctx, of.Key)
		return err
	})
}

// write writes a whole object, or leaves it as it was.
func write(ctx context.Context, to address, text []byte) error {
	return try(ctx, to, func(b *blob.Bucket) error { return b.WriteAll(ctx, to.Key, text, private) })
}

// objects lists the objects whose names begin with that of the address.
func objects(ctx context.Context, of address) (all []*blob.ListObject, err error) {
	return all, try(ctx, of, func(b *blob.Bucket) error {
		all = nil
		list := b.List(&blob.ListOptions{Prefix: of.Key})
		for {
			o, err := list.Next(ctx)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if !o.IsDir {
				all = append(all, o)
			}
		}
	})
}

// within returns the address of all that is in a folder.
func (a address) within() address {
	a.Key += "/"
	return a
}

// names returns the names of the objects in a folder.
func names(ctx context.Context, folder address) (map[string]bool, error) {
	all, err := objects(ctx, folder.within())
	out := map[string]bool{}
	for _, o := range all {
		out[path.Base(o.Key)] = true
	}
	return out, err
}

// remove removes all objects of a folder.
func remove(ctx context.Context, folder address) error {
	if u, err := url.Parse(folder.Bucket); err == nil && u.Scheme == "file" { // with its empty folders
		return os.RemoveAll(path.Join(u.Path, folder.Key))
	}
	all, err := objects(ctx, folder.within())
	for _, o := range all {
		err = errors.Join(err, try(ctx, address{folder.Bucket, o.Key}, func(b *blob.Bucket) error { return b.Delete(ctx, o.Key) }))
	}
	return err
}
