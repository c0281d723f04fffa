import re,sys
import migrate_rules as m
T=m.TABLES; F=m.FUNCTIONS
CALL=re.compile(r"(?<![\w.])("+"|".join(sorted(F))+r")\((?=[^ ])")
def fall(v):
    v=re.sub(r"(?m)^( *)("+"|".join(T)+r"):(?=\s|$)",lambda k:k[1]+T[k[2]]+":",v)
    v=re.sub(r"\{("+"|".join(T)+r"): \[",lambda k:'{'+T[k[1]]+': [',v)
    v=re.sub(r"(type: (?:id|list)[^}\n]*?\b)form: ",r"\1table: ",v); v=re.sub(r"\bform: ","syntax: ",v)
    v=re.sub(r"(test: (?:[^{}]|\{[^{}]*\})*?,\s*)else:",r"\1message:",v)
    v=re.sub(r"\bneeds: ","requires: ",v); v=re.sub(r"do: watch, ","",v); v=re.sub(r", do: watch","",v)
    v=re.sub(r"(?<![\w.])mark: (?=\{)","flag: ",v); v=re.sub(r"(?<![\w.])marks: ","flags: ",v); v=re.sub(r"(?<![\w.])miss: ","on_failure: ",v)
    v=re.sub(r"(die: [^{}]*)\bfrom: ",r"\1at_least: ",v); v=re.sub(r"\bupto: ","at_most: ",v); v=re.sub(r"(do: act[^{}]*)\bacts: ",r"\1actions: ",v)
    return v
