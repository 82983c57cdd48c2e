# Crowntable: every command sets up what it needs first (tools/setup) and then does one thing.
BIN := .venv/bin
.PHONY: run test lint bench soak shots clean
.DEFAULT_GOAL := run

# Ctrl-C is how it is meant to end (130): no error for make.
run: ; @tools/setup run && { $(BIN)/crowntable run --virtual --host 0.0.0.0 $(ARGS) || [ $$? -eq 130 ]; }
test: ; @tools/setup test && tools/check
lint: ; @tools/setup lint && tools/check lint
# The lab's needs Dask, the hall's a broker: what the tests stand on.
bench: ; @tools/setup test && for b in engine lab journal tap dice stream "hall --tables 60 --seconds 20"; do $(BIN)/crowntable bench $$b || exit 1; done
soak: ; @tools/setup test && $(BIN)/pytest -m soak tests $(ARGS)
shots: ; @tools/setup test && $(BIN)/python tools/shots.py
clean: ; rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
