PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= auto

.PHONY: demo proof cost test check mutants capsule test-kernels test-neon test-numpy test-oldest test-newest test-arm test-elsewhere test-release test-matrix test-order test-audit test-bridge test-scale test-albumentations test-cuda coverage test-trainers test-site bench bench-loaders docs clean

# One environment for everything; made again only when pyproject.toml or the kernels change.
$(VENV)/.installed: pyproject.toml hatch_build.py $(wildcard seedsafe/kernels/*.[ch])
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m pip install --quiet --no-deps "tf-keras>=2.21,<2.22"  # its own requirement is the full tensorflow
	touch $@

# The kernels with the vectors of x86-64 and, emulated, of aarch64: equal bytes.
test-neon:
	scripts/test_neon.sh 20000

# The kernels under AddressSanitizer and UBSan: 100,000 random calls, each with memory of exactly its size, and 25,000 damaged JPEGs. Then the pixels of 10,000 windows.
test-kernels: $(VENV)/.installed
	scripts/test_kernels.sh 100000 7
	SEEDSAFE_JPEGS=2500 $(BIN)/python -m pytest -q tests/test_jpeg_windows.py -k pixels_of_the_whole

# What the bug costs in accuracy: measures what is not in experiments/cost/results.json yet, and writes the page.
cost: $(VENV)/.installed
	$(BIN)/python -m experiments.cost.train
	$(BIN)/python -m experiments.cost.page

# The main job on real photographs and speech, in torch and Keras; proof does it with ten times the samples, and measures the loaders.
demo: $(VENV)/.installed
	$(BIN)/python -m demo

proof: $(VENV)/.installed
	$(BIN)/python -m demo --proof

# How even the addressed order is over 10,000 keys: minutes. `make test` looks at 1,000 and fewer sizes.
test-order: $(VENV)/.installed
	SEEDSAFE_WHOLE_ORDER=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/test_addressed_order.py

# In a process for each core: no test needs a quiet machine. JOBS=0 runs them in one. A test that hangs is ended and named.
# Hundreds of programs and spawned workers read the modules compiled, whatever the shell says.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.installed
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --timeout 900

check: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/seedsafe lint --strict seedsafe adapters tools demo benchmarks examples
	PYTHONPATH=adapters:tools $(BIN)/lint-imports --verbose
	$(BIN)/python scripts/count_lines.py
	$(BIN)/mypy
	$(BIN)/pyright
	scripts/check_release.sh

# One token changed at a time in the second implementation of the contract: which changes no known answer notices.
mutants: $(VENV)/.installed
	$(BIN)/python scripts/mutate_contract.py

# All samples of the capsule beside older and newer neighbours, each in an environment of its own, and the table of systems.md.
capsule:
	$(PYTHON) scripts/capsule_neighbours.py
	$(PYTHON) scripts/capsule_neighbours.py --page

# The pages are built in an environment without frameworks, which are mocked; all of them (-E), because Sphinx's search forgets the words of
# pages that it does not read again.
docs: .venvs/docs/.installed
	.venvs/docs/bin/sphinx-build -E -W --keep-going -q docs docs/_build/html

.venvs/docs/.installed: pyproject.toml
	$(PYTHON) -m venv .venvs/docs
	.venvs/docs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/docs/bin/python -m pip install --quiet --editable . --group docs
	touch $@

# The wheel in an environment of its own, away from the repository, and the tests of the sdist.
test-release: $(VENV)/.installed
	scripts/test_release.sh $(PYTHON)

# The contract with every NumPy, in throw-away environments; NumPy 2.5 needs a newer Python than 3.11.
test-numpy:
	scripts/test_contract.sh $(PYTHON) 2.0
	scripts/test_contract.sh $(PYTHON) 2.2
	scripts/test_contract.sh $(PYTHON) 2.4
	scripts/test_contract.sh python3.12 2.5
	scripts/test_contract.sh python3.13 2.5

# The wheel beside the oldest and the newest torch, Keras, TensorFlow, NumPy and others that its extras allow: gigabytes of CUDA each.
test-oldest:
	scripts/test_neighbours.sh oldest python3.11

test-newest:
	scripts/test_neighbours.sh newest python3.13

# The contract and the golden files on Linux aarch64, emulated where the machine is another: the first time needs root on a Debian.
test-arm:
	scripts/test_arm.sh .venvs/arm $(PYTHON) -n $(JOBS) --dist worksteal

# Linux seen as macOS and as Windows: what these lack is hidden from the library and its tests.
test-elsewhere: $(VENV)/.installed
	for system in macos windows; do \
		SEEDSAFE_ELSEWHERE=$$system PYTHONPATH=$(CURDIR)/tests/elsewhere:$(CURDIR):$(CURDIR)/adapters:$(CURDIR)/tools \
			$(BIN)/python -m pytest -n $(JOBS) --dist worksteal @tests/elsewhere/tests.txt || exit 1; \
	done

# Content and order for every way to load; some hours on two cores.
test-matrix: $(VENV)/.installed
	$(BIN)/python -m pytest -m matrix -n $(JOBS) --dist loadfile

# The libraries that bridges are proved on, in an environment of their own. SEEDSAFE_BRIDGE="MONAI,timm" for some of them.
test-bridge: .venvs/bridge/.installed
	PYTHONPATH=.:adapters:tools .venvs/bridge/bin/python -m pytest -m bridge tests/bridge

# torchaudio's extension is made for CUDA; where it is not there torchaudio goes on in plain torch.
.venvs/bridge/.installed: tests/bridge/requirements.txt tests/bridge/requirements-alone.txt
	$(PYTHON) -m venv .venvs/bridge
	.venvs/bridge/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/bridge/bin/python -m pip install --quiet torch==2.13.0
	.venvs/bridge/bin/python -m pip install --quiet --no-deps --requirement tests/bridge/requirements-alone.txt
	.venvs/bridge/bin/python -m pip install --quiet --requirement tests/bridge/requirements.txt
	rm -f .venvs/bridge/lib/python*/site-packages/torchaudio/lib/*.so
	touch $@

# Streams and engines (webdataset, Hugging Face, MosaicML, litdata, Grain, Ray), in an environment of their own.
test-scale: .venvs/scale/.installed
	PYTHONPATH=.:adapters:tools .venvs/scale/bin/python -m pytest -m scale tests/scale

# Two of them require clouds' clients or a CUDA build of torchvision, so they go without their dependencies.
.venvs/scale/.installed: tests/scale/requirements.txt
	$(PYTHON) -m venv .venvs/scale
	.venvs/scale/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/scale/bin/python -m pip install --quiet torch==2.13.0
	.venvs/scale/bin/python -m pip install --quiet --no-deps "torchdata>=0.11" "litdata>=0.2.76" "mosaicml-streaming>=0.13" lightning-utilities torchvision==0.28.0
	.venvs/scale/bin/python -m pip install --quiet --requirement tests/scale/requirements.txt
	touch $@

# Real trainers, small trainings stopped and resumed, in an environment of their own. torchaudio's extension is made for CUDA.
test-trainers: .venvs/trainers/.installed
	PYTHONPATH=.:adapters .venvs/trainers/bin/python -m pytest -m trainers tests/trainers

.venvs/trainers/.installed: tests/trainers/requirements.txt
	$(PYTHON) -m venv .venvs/trainers
	.venvs/trainers/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/trainers/bin/python -m pip install --quiet torch==2.13.0
	.venvs/trainers/bin/python -m pip install --quiet --no-deps torchvision==0.28.0 "fastai>=2.8" fastcore fastprogress fasttransform "plum-dispatch<2.10" fastdownload "timm>=1.0" "ultralytics>=8.4"
	.venvs/trainers/bin/python -m pip install --quiet --no-deps "monai>=1.6" "mmengine>=0.10" "pytorch-ignite>=0.5" "speechbrain>=1.1" torchaudio==2.11.0 "torchio>=1.2" "torchtnt>=0.2"
	.venvs/trainers/bin/python -m pip install --quiet --requirement tests/trainers/requirements.txt
	rm -f .venvs/trainers/lib/python*/site-packages/torchaudio/lib/*.so
	touch $@

# The built pages in headless Chromium (of the system, or the one that playwright installs), in an environment of its own.
test-site: docs .venvs/site/.installed
	PYTHONPATH=.:adapters .venvs/site/bin/python -m pytest -m site tests/site

.venvs/site/.installed: tests/site/requirements.txt
	$(PYTHON) -m venv .venvs/site
	.venvs/site/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/site/bin/python -m pip install --quiet --editable . --requirement tests/site/requirements.txt
	touch $@

# seedsafe_albumentations beside albumentations itself, in an environment of their own.
test-albumentations: .venvs/albumentations/.installed
	PYTHONPATH=.:adapters .venvs/albumentations/bin/python -m pytest -m albumentations tests/albumentations

.venvs/albumentations/.installed: tests/albumentations/requirements.txt
	$(PYTHON) -m venv .venvs/albumentations
	.venvs/albumentations/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/albumentations/bin/python -m pip install --quiet --requirement tests/albumentations/requirements.txt
	touch $@

# The audit of other libraries' pipelines; torchvision's own requirements are a CUDA build of torch.
test-audit: $(VENV)/.installed .venvs/audit/.installed
	.venvs/audit/bin/python -m pytest tests/third_party/audit_peers.py
	SEEDSAFE_TEST_LONG=1 $(BIN)/python -m pytest tests/test_audit_draws.py

.venvs/audit/.installed: pyproject.toml
	$(PYTHON) -m venv .venvs/audit
	.venvs/audit/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venvs/audit/bin/python -m pip install --quiet --editable . "pytest>=9" pillow torch==2.13.0 albumentations==2.0.8
	.venvs/audit/bin/python -m pip install --quiet --no-deps torchvision==0.28.0
	touch $@

# Numbers and pixels on a GPU, where there is one.
test-cuda: $(VENV)/.installed
	$(BIN)/python -m pytest -m cuda tests/adapters/test_cuda.py

# How many real pipelines can be written: make coverage PIPELINES=folder; see scripts/coverage.py.
coverage: $(VENV)/.installed
	PYTHONPATH=.:adapters:tools $(BIN)/python scripts/coverage.py $(PIPELINES)

bench:  # makes environments of its own under .venvs/
	$(PYTHON) -m benchmarks

bench-loaders:  # whole loaders alone, and docs/reference/loading.md
	$(PYTHON) -m benchmarks --loaders "$(NOTE)"

clean:
	rm -rf $(VENV) .venvs docs/_build docs/_pictures out
