package test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const flink = "../../flink/"

func strictly(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, to); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// The documents for Flink have no field that Kubernetes does not know, and fit together: services find pods and
// their ports, pods mount volumes that there are, and all configuration exists.
func TestFlink(t *testing.T) {
	text, err := os.ReadFile(flink + "flink.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pods := map[string]core.PodTemplateSpec{}
	var services []core.Service
	configs := map[string]bool{}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.Kind {
		case "ConfigMap":
			var c core.ConfigMap
			strictly(t, document, &c)
			configs[c.Name] = true
			var settings map[string]any
			strictly(t, []byte(c.Data["config.yaml"]), &settings)
		case "Service":
			var s core.Service
			strictly(t, document, &s)
			services = append(services, s)
		case "Deployment":
			var d apps.Deployment
			strictly(t, document, &d)
			if !selects(d.Spec.Selector.MatchLabels, d.Spec.Template.Labels) {
				t.Errorf("%s does not select its own pods", d.Name)
			}
			pods[d.Name] = d.Spec.Template
		default:
			t.Errorf("got a %q", kind.Kind)
		}
	}
	if len(pods) != 3 || len(services) != 2 {
		t.Fatalf("got %d deployments and %d services, want 3 and 2", len(pods), len(services))
	}
	for _, s := range services {
		if pod, found := pods[s.Name]; !found || !selects(s.Spec.Selector, pod.Labels) {
			t.Errorf("service %s selects no pods of the same name", s.Name)
		}
		var ports []string
		for _, c := range pods[s.Name].Spec.Containers {
			for _, p := range c.Ports {
				ports = append(ports, p.Name)
			}
		}
		for _, p := range s.Spec.Ports {
			if !slices.Contains(ports, p.TargetPort.StrVal) {
				t.Errorf("service %s: no port %s", s.Name, p.TargetPort.StrVal)
			}
		}
	}
	for name, pod := range pods {
		var volumes []string
		for _, v := range pod.Spec.Volumes {
			volumes = append(volumes, v.Name)
			if v.ConfigMap != nil && !configs[v.ConfigMap.Name] {
				t.Errorf("%s: there is no ConfigMap %s", name, v.ConfigMap.Name)
			}
		}
		for _, c := range pod.Spec.Containers {
			for _, m := range c.VolumeMounts {
				if !slices.Contains(volumes, m.Name) {
					t.Errorf("%s: %s mounts %s, which there is not", name, c.Name, m.Name)
				}
			}
			if *c.SecurityContext.AllowPrivilegeEscalation || !*pod.Spec.SecurityContext.RunAsNonRoot {
				t.Errorf("%s: %s may have the rights of root", name, c.Name)
			}
		}
	}
	workers := pods["flink-taskmanager"].Spec.Containers[1]
	command, _ := engineValues(t)["engine"].(map[string]any)["command"].([]any)
	if at := slices.Index(command, any("--environment_config")); at < 0 || command[at+1] != workers.Args[1] || workers.Args[0] != "--pool" {
		t.Errorf("the engine asks %v for workers, and they are at %v", command, workers.Args)
	}
	if at := slices.Index(command, any("--endpoint")); at < 0 || command[at+1] != "beam-job-server:8099" {
		t.Errorf("the engine sends jobs elsewhere: %v", command)
	}
}

// engineValues returns the values of the chart for a member with an engine.
func engineValues(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(flink + "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{"name": "plant-a", "consortium": "version: 3\n", "identitySecret": "plant-a-key"}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// A member with an engine has its image in place of a claim with rows, and addresses as they are.
func TestAnEngine(t *testing.T) {
	files, err := render(t, engineValues(t))
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	var config core.ConfigMap
	read(t, files, "job.yaml", &job)
	read(t, files, "configmap.yaml", &config)
	var node struct{ Data, Engine []string }
	if err := yaml.Unmarshal([]byte(config.Data["node.yaml"]), &node); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	volume := slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == "engine" })
	mount := slices.IndexFunc(pod.Containers[0].VolumeMounts, func(m core.VolumeMount) bool { return m.Name == "engine" })
	switch {
	case volume < 0 || pod.Volumes[volume].Image == nil || pod.Volumes[volume].Image.Reference != "collabdict-beam:latest":
		t.Errorf("volumes %v", pod.Volumes)
	case mount < 0 || !strings.HasPrefix(node.Engine[0], pod.Containers[0].VolumeMounts[mount].MountPath+"/"):
		t.Errorf("%s is not in a volume: %v", node.Engine[0], pod.Containers[0].VolumeMounts)
	case len(node.Data) != 1 || !strings.HasPrefix(node.Data[0], "s3://") || filepath.Base(node.Engine[0]) != "beam":
		t.Errorf("got %+v", node)
	case len(pod.Containers[0].EnvFrom) != 1 || pod.Containers[0].EnvFrom[0].SecretRef.Name != "plant-a-bucket":
		t.Errorf("variables from %v", pod.Containers[0].EnvFrom)
	case slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == "rows" }):
		t.Error("a claim with rows is mounted")
	}
	values := engineValues(t)
	delete(values["engine"].(map[string]any), "image")
	if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), "engine.image") {
		t.Errorf("without an image: %v", err)
	}
}
