import json,sys,re
from pathlib import Path
R=Path(sys.argv[1])
def sub(p,*pairs,must=True):
    f=R/p; s=f.read_text()
    for a,b in pairs:
        if a not in s:
            print('MISSING',p,a[:60]); continue
        s=s.replace(a,b)
    f.write_text(s)
sub('engine/ruleset/compile.py',("tuple(plain_value(n) for n in draft.frame if n.is_map)","tuple(_with_mechanic(plain_value(n)) for n in draft.frame if n.is_map)"))
f=R/'engine/ruleset/compile.py'; f.write_text(f.read_text().rstrip('\n')+'''


def _with_mechanic(step: dict[str, Any]) -> dict[str, Any]:
    """A step of the sequence with what it does: one that holds no steps, takes no orders and says nothing is a `moment`."""
    if "steps" in step:
        return {**step, "steps": [_with_mechanic(inner) for inner in step["steps"]]}
    return step if "do" in step or "input" in step else {**step, "do": "moment"}
''')
sub('engine/core/registry.py',('"watch": "turn.events:run"','"moment": "turn.events:run"'))
p=R/'schemas/sequence.schema.json'; d=json.loads(p.read_text())
def walk(s):
    if isinstance(s,dict):
        if 'watch' in s.get('enum',[]): s['enum'].remove('watch'); s['description']="The mechanic that carries out the step; absent: none, the step is a moment that events wait for."
        for v in s.values(): walk(v)
    elif isinstance(s,list):
        for v in s: walk(v)
walk(d); d['properties']['foreseen']['x-with']={"do":[],"steps":[],"step":[]}
p.write_text(json.dumps(d,indent=2,ensure_ascii=False)+'\n')
