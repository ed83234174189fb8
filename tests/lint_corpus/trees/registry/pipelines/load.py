from registry import PIPELINES


@PIPELINES.register_module()
class LoadImage:
    def __call__(self, results):
        results["img"] = open(results["path"], "rb").read()
        return results
