# Two commands are all a newcomer needs: `make lab` and `make test`. Both make .venv on demand.
VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
PYTHON ?= python3
# A run of everything is shared by two processes (how: tests/conftest.py); `make test ARGS="tests/data -x"` needs one.
SHARED := $(if $(ARGS),,-n 2)
COVER  := --cov=ppdm --cov=widgets --cov-config=pyproject.toml --cov-report=term
NEWER  := print(__import__("sys").version_info >= (3, 11))

# JupyterLab's settings in .venv: no news from outside, and no question about it at the first start.
SETTINGS := $(VENV)/share/jupyter/lab/settings
QUIET    := {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}

export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.PHONY: help setup lab test coverage fuzz lint student grade marks handout slides notebooks paper bench pictures constraints clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## make .venv and install everything in it, unless that is done
lab: $(READY) ## open JupyterLab at the start notebook (options: LAB_ARGS="--port=9999")
	$(PY) -m jupyterlab --ServerApp.root_dir=notebooks --LabApp.default_url=/lab/tree/00-start-here.ipynb \
	    $$(test "$$(id -u)" != 0 || echo --allow-root) $(LAB_ARGS)

test: lint ## run all that CI runs: lint, types, tests, notebooks, browser (a part: ARGS="tests/data")
	$(PY) -m pytest $(SHARED) $(ARGS)

coverage: $(READY) ## run the tests once more in one process and list the lines that none of them reaches
	$(PY) -m pytest $(COVER) $(ARGS)

fuzz: $(READY) ## feed damaged models, results and ledgers to what reads them (options: ARGS="--seconds 60 --seed 7")
	$(PY) tools/fuzz.py $(ARGS)

# One thread for linear algebra in each process: two that use all cores wait for each other.
test coverage: export OMP_NUM_THREADS ?= 1

lint: $(READY) ## check style, format and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

student: $(READY) ## build what students get, to build/student (options: FOR=nbgrader|otter|colab COURSE="…" FROM=https://…)
	$(PY) tools/student.py $(if $(FOR),--for "$(FOR)") $(if $(COURSE),--course "$(COURSE)") $(if $(FROM),--from "$(FROM)")

grade: $(READY) ## mark what students handed in: SUBMISSIONS=folder (options: ARGS="--limit 60 --jobs 4")
	@test -n "$(SUBMISSIONS)" || { echo "Say where the students' files are: make grade SUBMISSIONS=folder" >&2; exit 2; }
	$(PY) tools/grade.py "$(SUBMISSIONS)" $(ARGS)

marks: $(READY) ## write the marker's table anew: notebooks/coursework/marks.csv
	$(PY) tools/marks.py $(ARGS)

handout: $(READY) ## write the lessons and the students' sheets as web pages to build/handout (some: ARGS="00-start-here")
	$(PY) tools/handout.py $(ARGS)

slides: $(READY) ## write the slides of the four weeks to build/slides
	$(PY) tools/slides.py $(ARGS)

notebooks: $(READY) ## re-run the notebooks and save them in canonical form (some: ARGS="00-start-here")
	$(PY) tools/rerun.py $(ARGS)

paper: $(READY) ## compute the full-scale results again
	$(PY) -m ppdm.studies $(ARGS)

bench: $(READY) ## measure speed and accuracy beside other libraries
	$(PY) tests/benchmarks/run.py $(ARGS)

pictures: $(READY) ## take the README's pictures anew, in a real browser (some: ARGS="release")
	$(PY) tests/browser/pictures.py $(ARGS)

constraints: ## write constraints.txt anew, from the newest releases that pyproject.toml admits
	$(PYTHON) -m venv --clear build/fresh
	build/fresh/bin/python -m pip install -qq -e '.[notebooks,dev]'
	{ grep '^#' constraints.txt; build/fresh/bin/python -m pip freeze --all --exclude pip --exclude-editable; } > build/constraints.txt
	mv build/constraints.txt constraints.txt
	rm -rf build/fresh

clean: ## remove .venv and everything that tests and tools leave behind
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -prune -exec rm -rf {} +

# .ready holds the folder it was made in: an editable install does not survive a move, so a moved tree is set up again.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

# The stamp goes first and comes last, so that an interrupted set-up is done again. A sound .venv is kept and updated.
$(READY): pyproject.toml constraints.txt
	@rm -f $@
	@$(PY) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    if [ "$$($(PYTHON) -c '$(NEWER)' 2>/dev/null)" != True ]; then \
	        for other in python3.14 python3.13 python3.12 python3.11; do \
	            [ "$$($$other -c '$(NEWER)' 2>/dev/null)" = True ] && break; other=/path/to/python; \
	        done; \
	        found=$$(command -v $(PYTHON) >/dev/null && $(PYTHON) --version 2>&1 | tail -n 1); \
	        echo "Python 3.11 or newer is needed, but $(PYTHON) is: $${found:-not there}. Name another: make PYTHON=$$other" >&2; \
	        exit 1; \
	    fi; \
	    $(PYTHON) -m venv --clear --prompt ppdm $(VENV) >/dev/null 2>&1 || { \
	        echo "$(PYTHON) could not make $(VENV): it seems to lack venv (on Debian and Ubuntu: apt install python3-venv)" >&2; \
	        exit 1; \
	    }; }
	@echo "Installing into $(VENV) (the first time about 600 MB: one minute, or a few)"
	@$(PY) -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[notebooks,dev]'
	@mkdir -p $(SETTINGS)
	@echo '$(QUIET)' > $(SETTINGS)/overrides.json
	@pwd -P > $@
	@echo "Set up. Next: make lab, or make test"
