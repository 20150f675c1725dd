package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// known is the last order that this worker has read, and the rows of the last index.
var known struct {
	sync.Mutex
	folder address
	order  *order
	rows   *partRows
}

// orderIn returns the order in a folder, and its rows.
func orderIn(ctx context.Context, folder address) (*order, *partRows, error) {
	known.Lock()
	defer known.Unlock()
	if known.order != nil && known.folder == folder {
		return known.order, known.rows, nil
	}
	text, err := read(ctx, folder.in("order"))
	if err != nil {
		return nil, nil, err
	}
	o := &order{}
	if err := decode(text, o); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", folder, err)
	}
	if known.rows != nil {
		known.rows.close()
	}
	known.folder, known.order, known.rows = folder, o, newPartRows(context.WithoutCancel(ctx), o.Index)
	return o, known.rows, nil
}

// servePool starts a process for each worker that a runner asks for, with this program.
func servePool(ctx context.Context, at string) error {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	p := &workerPool{ctx: ctx, workers: map[string]context.CancelFunc{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(s, p)
	go func() {
		<-ctx.Done()
		s.Stop()
	}()
	err = s.Serve(l)
	p.running.Wait()
	return err
}

type workerPool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	ctx context.Context

	running sync.WaitGroup // for each worker
	mu      sync.Mutex
	workers map[string]context.CancelFunc
}

// StartWorker implements the pool of package fnpb.
func (p *workerPool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "collabdict-beam-") // removed with the rows that a killed worker leaves there
	if err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	ctx, cancel := context.WithCancel(p.ctx)
	// Errors of a worker come back through the runner.
	c := exec.CommandContext(ctx, self, "--worker=true", "--id="+r.GetWorkerId(), "--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	c.Env = append(os.Environ(), "TMPDIR="+dir)
	if err := c.Start(); err != nil {
		cancel()
		_ = os.RemoveAll(dir)
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	p.mu.Lock()
	p.workers[r.GetWorkerId()] = cancel
	p.mu.Unlock()
	p.running.Go(func() {
		_ = c.Wait()
		_ = os.RemoveAll(dir)
	})
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker implements the pool of package fnpb.
func (p *workerPool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.workers[r.GetWorkerId()]; stop != nil {
		stop()
		delete(p.workers, r.GetWorkerId())
	}
	return &fnpb.StopWorkerResponse{}, nil
}
