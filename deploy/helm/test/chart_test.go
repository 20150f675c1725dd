// Package test renders the chart with Helm's own library, and decodes the result as Kubernetes
// does. It is a separate module, so that neither is a dependency of the program.
package test

import (
	"fmt"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// given returns the values that an operator must set.
func given() map[string]any {
	return map[string]any{
		"name": "plant-a", "consortium": "version: 3\nmodel: ggm\n", "identitySecret": "plant-a-key",
		"rows": map[string]any{"claim": "plant-a-rows", "data": []any{"a b.csv"}},
		"node": map[string]any{
			"test_where": "split=test", "units": map[string]any{"temp": "degF"}, "csv": map[string]any{"delimiter": ";"},
			"rename": map[string]any{"T_in": "temp"}, "keep": []any{"energy"}, "missing": "skip", "limit": 1e6, // type of numbers that Helm reads
		},
	}
}

// render returns the chart's documents by the names of their templates.
func render(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load("../collabdict")
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: "ours", Namespace: "default", IsInstall: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, all)
	out := map[string]string{}
	for name, text := range files {
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(text) != "" {
			out[path.Base(name)] = text
		}
	}
	return out, err
}

// read decodes a document strictly: a field that Kubernetes does not know is an error.
func read(t *testing.T, files map[string]string, name string, to any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(files[name]), to); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, files[name])
	}
}

func TestChart(t *testing.T) {
	files, err := render(t, given())
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 {
		t.Errorf("%d documents", len(files))
	}
	var (
		job     batch.Job
		config  core.ConfigMap
		claim   core.PersistentVolumeClaim
		service core.Service
	)
	read(t, files, "job.yaml", &job)
	read(t, files, "configmap.yaml", &config)
	read(t, files, "pvc.yaml", &claim)
	read(t, files, "service.yaml", &service)
	pod := job.Spec.Template.Spec
	main := pod.Containers[0]
	for what, ok := range map[string]bool{
		"kinds":                    job.APIVersion == "batch/v1" && job.Kind == "Job" && config.Kind == "ConfigMap" && claim.Kind == "PersistentVolumeClaim" && service.Kind == "Service",
		"one process at a time":    claim.Spec.AccessModes[0] == core.ReadWriteOncePod && pod.RestartPolicy == core.RestartPolicyNever,
		"errors that come again":   slices.Equal(job.Spec.PodFailurePolicy.Rules[1].OnExitCodes.Values, []int32{2, 3, 4, 5, 6, 8}) && *job.Spec.PodFailurePolicy.Rules[1].OnExitCodes.ContainerName == main.Name,
		"probes":                   main.LivenessProbe.HTTPGet.Path == "/healthz" && main.ReadinessProbe.HTTPGet.Path == "/readyz" && main.LivenessProbe.HTTPGet.Port.StrVal == "http",
		"nobody's rights":          *pod.SecurityContext.RunAsNonRoot && *main.SecurityContext.ReadOnlyRootFilesystem && slices.Contains(main.SecurityContext.Capabilities.Drop, "ALL"),
		"the claim stays":          claim.Annotations["helm.sh/resource-policy"] == "keep",
		"the service finds it":     selects(service.Spec.Selector, job.Spec.Template.Labels) && service.Spec.Ports[0].TargetPort.StrVal == main.Ports[0].Name,
		"agreement as it was told": config.Data["consortium.yaml"] == "version: 3\nmodel: ggm\n" || config.Data["consortium.yaml"] == "version: 3\nmodel: ggm\n\n",
	} {
		if !ok {
			t.Errorf("%s: not so in\n%s", what, strings.Join([]string{files["job.yaml"], files["configmap.yaml"], files["pvc.yaml"], files["service.yaml"]}, "\n"))
		}
	}
	volumes := map[string]string{}
	for _, v := range pod.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			volumes[v.Name] = v.PersistentVolumeClaim.ClaimName
		case v.Secret != nil:
			volumes[v.Name] = v.Secret.SecretName
		case v.ConfigMap != nil:
			volumes[v.Name] = v.ConfigMap.Name
		default:
			volumes[v.Name] = "new"
		}
	}
	for name, want := range map[string]string{"folder": claim.Name, "rows": "plant-a-rows", "identity": "plant-a-key", "config": config.Name} {
		if volumes[name] != want {
			t.Errorf("volume %s is %s, want %s", name, volumes[name], want)
		}
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, m := range c.VolumeMounts {
			if volumes[m.Name] == "" {
				t.Errorf("%s mounts %s, which there is not", c.Name, m.Name)
			}
		}
	}
	checkNode(t, config.Data["node.yaml"])
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

// checkNode compares node.yaml with the program's reading of it.
func checkNode(t *testing.T, text string) {
	t.Helper()
	var node map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../../internal/config/node.go")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, m := range regexp.MustCompile("yaml:\"([a-z_0-9]+)").FindAllSubmatch(source, -1) {
		known = append(known, string(m[1]))
	}
	for key := range node {
		if !slices.Contains(known, key) {
			t.Errorf("node.yaml has %s, which the program does not know", key)
		}
	}
	for _, kept := range []string{"test_where: split=test", "units:\n  temp: degF", "csv:\n  delimiter: ;", "rename:\n  T_in: temp", "keep:\n- energy", "missing: skip", "limit: 1000000", "version: 3"} {
		if !strings.Contains("\n"+text, "\n"+kept+"\n") {
			t.Errorf("no %q in\n%s", kept, text)
		}
	}
	if listen, _ := node["listen"].([]any); len(listen) != 1 || listen[0] != "/ip4/0.0.0.0/tcp/4001" {
		t.Errorf("listens on %v", listen)
	}
	if node["name"] != "plant-a" || node["http"] != "0.0.0.0:9464" || node["test_where"] != "split=test" || node["data"].([]any)[0] != "/rows/a b.csv" {
		t.Errorf("got\n%s", text)
	}
}

// A change of the agreement during a run, or another file, reaches the member through the
// mounted ConfigMap. Kubernetes refuses any change of a Job's pod template.
func TestAChangedAgreementLeavesTheJobAsItIs(t *testing.T) {
	jobs := make([]batch.Job, 2)
	configs := make([]core.ConfigMap, 2)
	for i, consortium := range []string{"version: 3\n", "version: 3\nchanges: [{remove: [plant-b]}]\n"} {
		values := given()
		values["consortium"] = consortium
		values["files"] = map[string]any{"init.json": fmt.Sprintf("{\n  \"weights\": [%d]\n}\n", i)}
		files, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		read(t, files, "job.yaml", &jobs[i])
		read(t, files, "configmap.yaml", &configs[i])
		if got, want := strings.TrimSpace(configs[i].Data["init.json"]), fmt.Sprintf("{\n  \"weights\": [%d]\n}", i); got != want {
			t.Errorf("init.json is %q beside the agreement, want %q", got, want)
		}
	}
	if !reflect.DeepEqual(jobs[0].Spec, jobs[1].Spec) || reflect.DeepEqual(configs[0].Data, configs[1].Data) {
		t.Errorf("annotations of the pods: %v, then %v", jobs[0].Spec.Template.Annotations, jobs[1].Spec.Template.Annotations)
	}
}

// Prometheus finds the port that serves the member's metrics, also beside other annotations.
func TestPrometheusFindsThePort(t *testing.T) {
	values := given()
	values["httpPort"] = 9999.0
	values["podAnnotations"] = map[string]any{"a.example/b": "c"}
	files, err := render(t, values)
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	read(t, files, "job.yaml", &job)
	of := job.Spec.Template.Annotations
	if port := job.Spec.Template.Spec.Containers[0].Ports[1].ContainerPort; port != 9999 || of["prometheus.io/port"] != "9999" || of["prometheus.io/scrape"] != "true" || of["a.example/b"] != "c" {
		t.Errorf("port %d, annotations %v", port, of)
	}
}

// Values that only the operator knows are required.
func TestMissingValues(t *testing.T) {
	for _, name := range []string{"name", "consortium", "identitySecret", "rows"} {
		values := given()
		delete(values, name)
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
