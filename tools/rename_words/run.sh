set -e
R=$1
cd $R
PY=$R/.venv/bin/python
grep -rlE '@[A-Z]+@' templates --include=*.yaml | xargs -r sed -i -E 's/@([A-Z]+)@/XXAT\1AT/g'
$PY -W ignore tools/migrate_rules.py ruleset scenarios templates > /tmp/w/lang/out-$(basename $R).txt 2>/dev/null || true
grep -rlE 'XXAT[A-Z]+AT' templates --include=*.yaml | xargs -r sed -i -E 's/XXAT([A-Z]+)AT/@\1@/g'
grep -v " words$" /tmp/w/lang/out-$(basename $R).txt || true
git checkout -q templates/triplea/words.yaml
$PY /tmp/w/lang/words.py $R
$PY /tmp/w/lang/schemas.py $R
$PY -W ignore /tmp/w/lang/py.py $R
$PY -W ignore /tmp/w/lang/docs.py $R > /dev/null
for pair in frame:sequence modes:movement contacts:detection control:capture catalogue:production rooms:placement_limits shows:visibility gates:passages quantities:stats terms:definitions yields:income adjusts:modifiers bills:upkeep stores:treasuries; do
  a=${pair%%:*}; b=${pair##*:}
  for f in $(git ls-files "*tables/$a.yaml"); do d=$(dirname $f); if [ -e $d/$b.yaml ]; then echo "both $f $b"; else mv $f $d/$b.yaml; fi; done
  grep -rlE "(tables/|\b)$a\.yaml" --include=*.md --include=*.py --include=*.yaml --include=*.toml --include=*.json ruleset templates docs engine tests tools web lab editor importers README.md CONTRIBUTING.md 2>/dev/null | grep -v migrate_rules | xargs -r sed -i -E "s#(tables/|[\`\"' (])$a\.yaml#\1$b.yaml#g"
done
