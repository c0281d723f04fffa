document.querySelectorAll('.wide table').forEach(function(t){var b=t.tBodies[0];if(!t.tHead||b.rows.length<3)return;
[].forEach.call(t.tHead.rows[0].cells,function(h,i){if(!h.textContent.trim()&&i>1)return;h.className+=' sorts';h.tabIndex=0;
function go(){var up=h.getAttribute('aria-sort')!='descending'&&h.classList.contains('n')||h.getAttribute('aria-sort')=='descending';
if(!t.filled){t.filled=1;var last='';[].forEach.call(b.rows,function(r){var c=r.cells[0];if(c.textContent.trim())last=c.textContent;else if(r.cells[1]&&r.cells[1].textContent.trim()!='All')c.textContent=last})}
[].forEach.call(t.tHead.rows[0].cells,function(c){c.removeAttribute('aria-sort')});h.setAttribute('aria-sort',up?'descending':'ascending');
var rows=[].filter.call(b.rows,function(r){return!/^All$/.test(r.cells[0].textContent.trim()||(r.cells[1]||r.cells[0]).textContent.trim())}),rest=[].filter.call(b.rows,function(r){return rows.indexOf(r)<0});
function v(r){var x=r.cells[i]?r.cells[i].textContent.trim():'';return h.classList.contains('n')?(x=='-'||!x?0:parseFloat(x)):x.toLowerCase()}
rows.sort(function(x,y){x=v(x);y=v(y);return(x<y?-1:x>y?1:0)*(up?-1:1)}).concat(rest).forEach(function(r){b.appendChild(r)})}
h.onclick=go;h.onkeydown=function(e){if(e.key=='Enter'||e.key==' '){e.preventDefault();go()}}})});
(function(){var f=document.querySelector('.frame');if(!f)return;var s=f.querySelector('svg'),g=s.querySelector('.sheet'),m,at,two={};f.className+=' moves';
function now(){var t=getComputedStyle(g).transform;m=new DOMMatrix(t=='none'?'':t)}
function put(){g.style.transform='matrix('+[m.a,0,0,m.a,m.e,m.f].join(',')+')'}
function pt(e){var r=s.getBoundingClientRect();return{x:(e.clientX-r.left)*800/r.width,y:(e.clientY-r.top)*600/r.height}}
function zoom(p,k){now();k=Math.min(Math.max(m.a*k,.2),9)/m.a;m.e=p.x-(p.x-m.e)*k;m.f=p.y-(p.y-m.f)*k;m.a*=k;put()}
s.addEventListener('wheel',function(e){e.preventDefault();zoom(pt(e),e.deltaY<0?1.2:1/1.2)},{passive:false});
s.onpointerdown=function(e){two[e.pointerId]=pt(e);at=pt(e)};
s.onpointermove=function(e){if(!two[e.pointerId])return;var p=pt(e),ids=Object.keys(two);if(ids.length==2){var o=two[ids[0]==e.pointerId?ids[1]:ids[0]],q=two[e.pointerId];
zoom(o,Math.hypot(p.x-o.x,p.y-o.y)/(Math.hypot(q.x-o.x,q.y-o.y)||1))}else{now();m.e+=p.x-at.x;m.f+=p.y-at.y;put();at=p}two[e.pointerId]=p};
s.onpointerup=s.onpointercancel=s.onpointerleave=function(e){delete two[e.pointerId]};
var z=document.querySelector('.zoom');[['+',1.5],['\u2212',1/1.5]].forEach(function(x){var b=document.createElement('button');b.type='button';b.textContent=x[0];b.onclick=function(){zoom({x:400,y:300},x[1])};z.appendChild(b)});
document.querySelectorAll('.map input').forEach(function(i){i.onchange=function(){g.style.transform=''}});f.scrollLeft=(f.scrollWidth-f.clientWidth)/2})();
function show(){var e=location.hash&&document.getElementById(location.hash.slice(1));for(var d=e;d;d=d.parentElement)if(d.tagName=='DETAILS')d.open=true;if(e)e.scrollIntoView()}
addEventListener('hashchange',show);show();
