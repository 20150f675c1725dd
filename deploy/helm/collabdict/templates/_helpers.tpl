{{- define "collabdict.labels" -}}
app.kubernetes.io/name: collabdict
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- define "collabdict.selector" -}}
app.kubernetes.io/name: collabdict
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "collabdict.fullname" -}}
{{ printf "%s-collabdict" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
