cd /tmp/w/L; git fetch -q /work/main main; git checkout -q -f FETCH_HEAD -B lang; git clean -fdq
cp /tmp/w/lang/keep/migrate_rules.py tools/
bash /tmp/w/lang/run.sh /tmp/w/L
bash /tmp/w/lang/fix.sh /tmp/w/L
.venv/bin/ruff check --fix -q engine web lab editor importers tests tools >/dev/null; .venv/bin/ruff format -q engine web lab editor importers tests tools
.venv/bin/python -m wteaw.ruleset.file_schemas
git add -A; git commit -qm "script"
