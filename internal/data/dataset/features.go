package dataset

// Features returns the feature columns of the first file, and its columns that hold no numbers.
// It reads only the first rows.
func Features(spec Spec) (features, ignored []string, err error) {
	files, err := Resolve(spec.Data)
	if err != nil {
		return nil, nil, err
	}
	spec.Ignore, spec.Columns = trimmed(spec.Ignore), nil
	if spec.Missing == "" || spec.Missing == RefuseMissing {
		spec.Missing = SkipMissing // members have yet to agree on missing cells
	}
	sch, err := spec.settle(files[0])
	if err != nil {
		return nil, nil, err
	}
	t, err := spec.open(files[0], nil)
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	_, err = spec.layout(sch, files[0], t.header())
	return sch.features, sch.ignored, err
}
