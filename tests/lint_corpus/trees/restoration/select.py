def define_dataset(options):
    kind = options["dataset_type"].lower()
    if kind == "denoise":
        from dataset_denoise import DatasetDenoise as D
    elif kind == "plain":
        from dataset_plain import DatasetPlain as D
    else:
        raise NotImplementedError(kind)
    return D(options)
