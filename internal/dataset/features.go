package dataset

// Features returns the columns that the first of the files has as features, and those that
// are none because they do not hold numbers. Of the rows it reads the first.
func Features(spec Spec) (features, ignored []string, err error) {
	files, err := dataFiles(spec.Data)
	if err != nil {
		return nil, nil, err
	}
	spec.Ignore, spec.Columns = trimmed(spec.Ignore), nil
	if spec.Missing == "" || spec.Missing == RefuseMissing {
		spec.Missing = SkipMissing // what becomes of missing cells is for the members to agree on
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
