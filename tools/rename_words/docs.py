import sys,re,textwrap
from pathlib import Path
root=Path(sys.argv[1]); sys.path.insert(0,str(root/'tools'))
import migrate_rules as m
T=m.TABLES; F=m.FUNCTIONS
CALL=re.compile(r"(?<![\w.])("+"|".join(sorted(F))+r")\((?=['\"\w=).\s])")
KEYW={'needs':'requires','miss':'on_failure','upto':'at_most','gate':'passage','act':'action','mark':'flag','marks':'flags','marked':'flagged','watch':None,'facts':'triggers','fact':'trigger','ladder':'step_losses','slip':'evade','parting':'fire_on_retreat','site_else':'site_message','still':'must_hold','hold':'delay','acts_share':'actions_share','node':'step','x-fact':'x-trigger'}
def span(mm):
    s=mm[1]
    if re.fullmatch(r"[a-z_-]+:?",s):
        w=s.rstrip(':'); c=s[len(w):]
        n=T.get(w) or F.get(w) or KEYW.get(w)
        return '`'+(n or w)+c+'`'
    s2=re.sub(r"(?<![\w./-])("+"|".join(T)+r")/(?=[a-z0-9{<A-Z])(?![a-z0-9_/-]*\.(?:yaml|py|md|json))",lambda k:T[k[1]]+'/',s)
    s2=CALL.sub(lambda k:F[k[1]]+'(',s2)
    s2=re.sub(r"^("+"|".join(T)+r"): ",lambda k:T[k[1]]+': ',s2)
    s2=re.sub(r"\bdo: watch\b","step",s2)
    s2=re.sub(r"do: control\b","do: capture",s2)
    s2=re.sub(r"\{mark: ","{flag: ",s2); s2=re.sub(r"\bupto: ","at_most: ",s2); s2=re.sub(r"\bmiss: ","on_failure: ",s2); s2=re.sub(r"\bneeds: ","requires: ",s2); s2=re.sub(r"\bact: ","action: ",s2); s2=re.sub(r"\bmarks: ","flags: ",s2); s2=re.sub(r"\bstores: ","treasury: ",s2); s2=re.sub(r"\bquantity: ","stat: ",s2)
    return '`'+s2+'`'
def block(lang,body):
    try:
        f=m.migrate(Path('x'),body)
        if f.edits: return f.result()
    except Exception as e:
        pass
    return fall(CALL.sub(lambda k:F[k[1]]+'(',body))
def fall(v):
    v=re.sub(r"(?m)^( *)("+"|".join(T)+r"):(?=\s|$)",lambda k:k[1]+T[k[2]]+":",v)
    v=re.sub(r"\{("+"|".join(T)+r"): \[",lambda k:'{'+T[k[1]]+': [',v)
    v=re.sub(r"(type: (?:id|list)[^}\n]*?\b)form: ",r"\1table: ",v); v=re.sub(r"\bform: ","syntax: ",v)
    v=re.sub(r"(test: (?:[^{}]|\{[^{}]*\})*?,\s*)else:",r"\1message:",v)
    v=re.sub(r"\bneeds: ","requires: ",v); v=re.sub(r"do: watch, ","",v); v=re.sub(r", do: watch","",v)
    v=re.sub(r"(?<![\w.])mark: (?=\{)","flag: ",v); v=re.sub(r"(?<![\w.])marks: ","flags: ",v); v=re.sub(r"(?<![\w.])miss: ","on_failure: ",v)
    v=re.sub(r"(die: [^{}]*)\bfrom: ",r"\1at_least: ",v); v=re.sub(r"\bupto: ","at_most: ",v); v=re.sub(r"(do: act[^{}]*)\bacts: ",r"\1actions: ",v)
    return v
FILES=[*root.glob('docs/**/*.md'),root/'README.md',root/'CONTRIBUTING.md',*root.glob('ruleset/**/*.md'),*root.glob('templates/**/*.md'),*root.glob('engine/**/*.md'),*root.glob('tools/*.md')]
for p in FILES:
    if '_build' in p.parts or 'examples' in p.parts or p.name=='CHANGELOG.md': continue
    s=p.read_text()
    parts=re.split(r"(?ms)^( *)```([^\n]*)\n(.*?)^\1```$",s)
    out=[parts[0]]
    o=re.sub(r"`([^`\n]+)`",span,parts[0]); out=[o]
    for i in range(1,len(parts),4):
        ind,lang,body,rest=parts[i:i+4]
        if lang.startswith(('yaml','YAML')):
            d=textwrap.dedent(body); n=block(lang,d)
            if n!=d: body=textwrap.indent(n,ind) if ind else n
        else:
            body=fall(body)
            body=CALL.sub(lambda k:F[k[1]]+'(',body)
            body=re.sub(r"(?<![\w./-])("+"|".join(T)+r")/(?=[a-z0-9])(?![a-z0-9_/-]*\.(?:yaml|py|md|json))",lambda k:T[k[1]]+'/',body)
        out.append(f"{ind}```{lang}\n{body}{ind}```"+re.sub(r"`([^`\n]+)`",span,rest))
    n=''.join(out)
    if n!=s: p.write_text(n); print(p.relative_to(root))
