
import sys,re
from pathlib import Path
R=Path(sys.argv[1]); sys.path.insert(0,str(R/'tools'))
import migrate_rules as m
CALL=re.compile(r"(?<![\w.])("+"|".join(sorted(m.FUNCTIONS))+r")\((?=[^ ])")
sys.path.insert(0,'/tmp/w/lang')
from fallm import fall
for p in R.glob('templates/triplea/**/*.j2'):
    s=p.read_text()
    s=fall(CALL.sub(lambda k:m.FUNCTIONS[k[1]]+'(',s))
    s=re.sub(r"(?<![\w/-])("+"|".join(m.TABLES)+r")/(?=[a-z0-9{])",lambda k:m.TABLES[k[1]]+'/',s)
    for old,new in m.STEP.items():
        s=re.sub(r"(do: [^{}]*)\b"+old+r": \[",lambda k:k[1]+new+": [",s)
    s=re.sub(r"(?<![\w.])still: ","must_hold: ",s); s=re.sub(r"else: hand","if_lost: hand",s); s=re.sub(r"(?<![\w.])marks: ","sets: ",s); s=re.sub(r"\bslip:","evade:",s); s=re.sub(r"\bpairs:","support:",s);s=re.sub(r"resolve: under\b","resolve: roll_under",s); s=re.sub(r"parting: ","fire_on_retreat: ",s); s=re.sub(r"do: control\b","do: capture",s)
    s=re.sub(r"event\.act\b","event.action",s); s=re.sub(r"acted: \{act:","acted: {action:",s); s=re.sub(r"\bact: ","action: ",s); s=re.sub(r"acts_share","actions_share",s)
    s=re.sub(r"(?<![\w.])stores: ","treasuries: ",s) if False else s
    n=p.name
    for a,b in m.TABLES.items(): 
        if n==a+'.yaml.j2': n=b+'.yaml.j2'
    p.write_text(s)
    if n!=p.name: p.rename(p.parent/n)
for p in [*R.glob('templates/triplea/**/*.yaml')]:
    s=p.read_text()
    s=CALL.sub(lambda k:m.FUNCTIONS[k[1]]+'(',s)
    s=re.sub(r"\b(adjusts|quantities|catalogue)(?=:)",lambda k:m.TABLES[k[1]],s)
    s=re.sub(r"(?m)^(bought: .*?)still: (.*?)else: hand",r"\1must_hold: \2if_lost: hand",s)
    p.write_text(s)
p=R/'schemas/triplea-words.schema.json'; s=p.read_text()
s=re.sub(r'"(adjusts|quantities|catalogue)"',lambda k:'"'+m.TABLES[k[1]]+'"',s); p.write_text(s)
