import json,sys,re
from pathlib import Path
root=Path(sys.argv[1]); sys.path.insert(0,str(root/'tools'))
import migrate_rules as m
S=root/'schemas'
T=m.TABLES
ROLEKEYS={'act':'action','gate':'passage','purse':'treasury'}
def tname(x):
    if isinstance(x,str): return T.get(x,x)
    return [T.get(y,y) if isinstance(y,str) else y for y in x]
def word(x): # x-word entries
    if x.startswith('field:'): a,b=x.split(':'); return a+':'+m.KINDS.get(b,b)
    return T.get(x,x)
EXTRA={'common':{'need':{'else':'message'},'roll':{'from':'at_least','upto':'at_most'},'effect':{'mark':'flag','miss':'on_failure'},'case':{'miss':'on_failure'}}}
def newkey(table,path,defn):
    k=path[-1]
    if table=='common' and defn in EXTRA['common'] and k in EXTRA['common'][defn]: return EXTRA['common'][defn][k]
    if table=='contacts' and k=='from' and path[-3:-1]==('fire','[]'): return 'at_least'
    if table=='frame' and path==('income',): return 'total_stat'
    for pat,new in m.KEYS.get(table,{}).items():
        if m._fits(pat,path): return new
    return m.ANYWHERE.get(k,k)
SIB=[]
def walk(s,table,path,defn):
    if isinstance(s,list): return [walk(x,table,path,defn) for x in s]
    if not isinstance(s,dict): return s
    ren={}
    if isinstance(s.get('properties'),dict):
        for k in s['properties']: ren[k]=newkey(table,path+(k,),defn)
    out={}
    for k,v in s.items():
        if k=='properties':
            SIB.append(ren)
            out[k]={ren[a]:walk(b,table,path+(a,),defn) for a,b in v.items()}
            SIB.pop()
        elif k in('required',): out[k]=[ren.get(x,x) for x in v]
        elif k=='dependencies': out[k]={ren.get(a,a):([ren.get(x,x) for x in b] if isinstance(b,list) else walk(b,table,path,defn)) for a,b in v.items()}
        elif k in('items',): out[k]=walk(v,table,path+('[]',),defn)
        elif k=='additionalProperties': out[k]=walk(v,table,path+('*',),defn)
        elif k in('oneOf','anyOf','allOf'): out[k]=[walk(x,table,path,defn) for x in v]
        elif k=='definitions': out[k]={('flags' if a=='marks' else 'trigger' if a=='fact' else 'triggerWord' if a=='factWord' else 'delayed' if a=='held' else a):walk(b,table,(),a) for a,b in v.items()}
        elif k=='$ref':
            f,_,p=v.partition('#'); n=f.removesuffix('.schema.json')
            p=p.replace('/factWord','/triggerWord') if p.endswith('factWord') else p.replace('/fact','/trigger') if p.endswith('/fact') else p.replace('/marks','/flags') if p.endswith('/marks') else p.replace('/held','/delayed') if p.endswith('/held') else p
            out[k]=(T.get(n,n)+'.schema.json' if f else '')+'#'+p if '#' in v else T.get(n,n)+'.schema.json'
        elif k=='x-ref': out[k]=tname(v)
        elif k=='x-word': out[k]=[word(x) for x in v] if isinstance(v,list) else word(v)
        elif k=='x-fact': out['x-trigger']=v
        elif k in('x-names','x-scope'): out[k]={ROLEKEYS.get(a,a):m.KINDS.get(b.split(':')[0],b) if b in m.KINDS else ('set:'+m.KINDS[b[4:]] if b.startswith('set:') and b[4:] in m.KINDS else b) for a,b in v.items()}
        elif k=='x-of': out[k]=[ROLEKEYS.get(x,x) for x in v]
        elif k=='x-kind': out[k]=[m.KINDS.get(x,x) for x in v] if isinstance(v,list) else v
        elif k=='x-slots-of': out[k]=ren.get(v,v)
        elif k=='x-with':
            sib=SIB[-1] if SIB else {}
            out[k]={sib.get(a,a):([{'control':'capture','under':'roll_under'}.get(x,x) if isinstance(x,str) else x for x in b] if isinstance(b,list) else b) for a,b in v.items()} if isinstance(v,dict) else v
        elif k=='enum' and isinstance(v,list):
            defpath=path
            w=dict(m.KINDS)
            if table=='shows' and path[-1:]==('what',): w={**m.STATE}
            for tab in (table,):
                for pat,words in m.VALUES.get(tab,{}).items():
                    if m._fits(pat,path): w={**w,**words}
            out[k]=[w.get(x,x) if isinstance(x,str) else x for x in v]
        elif k=='const' and isinstance(v,str):
            w={}
            for pat,words in m.VALUES.get(table,{}).items():
                if m._fits(pat,path): w={**w,**words}
            out[k]=w.get(v,v)
        elif isinstance(v,(dict,)): out[k]=walk(v,table,path,defn)
        else: out[k]=v
    return out
for f in sorted(S.glob('*.json')):
    n=f.name.removesuffix('.schema.json')
    if n in('overlay-file','table-file','triplea-words'): continue
    d=json.loads(f.read_text())
    ctx={'rule-test':'test'}.get(n,n)
    o=walk(d,ctx,(),'')
    if o.get('title')==n: o['title']=T.get(n,n)
    g=S/(T.get(n,n)+'.schema.json')
    f.unlink(); g.write_text(json.dumps(o,indent=2,ensure_ascii=False)+'\n')
