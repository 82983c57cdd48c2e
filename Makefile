# Crowntable: every command sets up what it needs first (tools/setup) and then does one thing.
BIN := .venv/bin
.PHONY: run test lint bench soak shots clean
.DEFAULT_GOAL := run

# Ctrl-C is how it is meant to end (130): no error for make.
run: ; @tools/setup run && { $(BIN)/crowntable run --virtual --host 0.0.0.0 $(ARGS) || [ $$? -eq 130 ]; }
test: ; @tools/setup test && tools/check
lint: ; @tools/setup lint && tools/check lint
bench: ; @tools/setup run && for b in engine journal dice stream; do $(BIN)/crowntable bench $$b || exit 1; done
soak: ; @tools/setup test && $(BIN)/pytest -m soak tests $(ARGS)
shots: ; @tools/setup test && $(BIN)/python tools/shots.py
clean: ; rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
