#include "report_assets.hpp"

const char* const kReportStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f8;--card:#fff;--ink:#1a1d21;--soft:#58606a;--line:#dfe3e8;
--accent:#0067a3;--accent-soft:#d8ebf7;--bad:#a93a00;--bad-soft:#fbe6da;--good:#00694c;
--good-soft:#d9f1e8;--hover:#f0f3f6}
@media (prefers-color-scheme:dark){:root{--page:#111418;--card:#191d22;--ink:#e7eaee;--soft:#a3adb8;
--line:#2c333b;--accent:#67bbf0;--accent-soft:#173447;--bad:#ff9d66;--bad-soft:#40230f;--good:#5fd6ab;
--good-soft:#0f3529;--hover:#20262d}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--accent);text-decoration:none;overflow-wrap:anywhere}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.wrap{max-width:1120px;margin:0 auto;padding:0 24px}
header.top{background:var(--card);border-bottom:1px solid var(--line);padding:28px 0 0}
.brand{font-size:13px;letter-spacing:.04em;color:var(--soft);margin:0 0 4px}
h1{font-size:24px;line-height:1.25;margin:0;display:flex;flex-wrap:wrap;gap:8px 12px;
align-items:center;overflow-wrap:anywhere}
h2{font-size:19px;margin:0 0 4px}
h3{font-size:15px;margin:0 0 12px;display:flex;flex-wrap:wrap;gap:4px 8px;align-items:baseline}
h3 .n{color:var(--soft);font-weight:400}
.state{font-size:13px;font-weight:600;padding:2px 10px;border-radius:999px;background:var(--accent-soft);
color:var(--accent);white-space:nowrap}
.state.good{background:var(--good-soft);color:var(--good)}
.state.bad{background:var(--bad-soft);color:var(--bad)}
.when{color:var(--soft);margin:4px 0 0;font-size:14px}
nav{display:flex;gap:4px 20px;margin-top:20px;overflow-x:auto}
nav a{padding:8px 0;color:var(--soft);border-bottom:2px solid transparent;white-space:nowrap;
font-size:14px}
nav a:hover{color:var(--ink);border-color:var(--accent);text-decoration:none}
main.wrap{padding-top:24px;padding-bottom:24px}
section{margin:0 0 36px}
section>p.lead{color:var(--soft);margin:0 0 16px;max-width:75ch}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px;
margin:0 0 16px;min-width:0}
.summary p{margin:0 0 4px;max-width:75ch}
.summary p:first-child{font-size:17px;font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:12px;margin:0 0 16px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;
min-width:0}
.tile b{display:block;font-size:24px;line-height:1.2;font-weight:650}
.tile span{color:var(--soft);font-size:13px}
.tile.bad b{color:var(--bad)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px}
.two .card{margin:0}
.scroll{overflow:auto;max-height:480px;margin:0 -4px;padding:0 4px}
.scroll thead th{position:sticky;top:0;background:var(--card)}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:7px 12px 7px 0;border-bottom:1px solid var(--line)}
th:last-child,td:last-child{padding-right:0}
tbody tr:last-child td{border-bottom:0}
tbody tr:hover{background:var(--hover)}
th{font-weight:600;color:var(--soft);font-size:13px;white-space:nowrap}
th button{all:unset;cursor:pointer}
th button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
td.num,th.num{text-align:right;white-space:nowrap}
td.url{overflow-wrap:anywhere;min-width:180px}
td .from{display:block;color:var(--soft);font-size:13px}
td .from+.from{margin-top:2px}
.tag{display:inline-block;font-size:12.5px;font-weight:600;border-radius:5px;padding:1px 7px;
background:var(--accent-soft);color:var(--accent);white-space:normal}
.tag.bad{background:var(--bad-soft);color:var(--bad)}
.tag.good{background:var(--good-soft);color:var(--good)}
.hop{color:var(--soft);padding:0 4px}
.more{color:var(--soft);font-size:13.5px;margin:12px 0 0}
code{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--hover);
border-radius:5px;padding:2px 6px;overflow-wrap:anywhere}
input.filter{font:inherit;font-size:14px;color:inherit;background:var(--page);border:1px solid var(--line);
border-radius:7px;padding:5px 10px;width:100%;max-width:280px;margin:0 0 10px}
.bars{table-layout:fixed}
.bars td{padding:5px 12px 5px 0;border:0}
.bars td.name{width:36%;overflow-wrap:anywhere}
.bars td.num{width:26%}
.bars td.bar{padding-right:0;vertical-align:middle}
.bar i{display:block;height:14px;min-width:2px;border-radius:3px;background:var(--accent);
width:var(--w)}
.bar i.bad{background:var(--bad)}
.bar i.none{background:transparent}
.plot{display:grid;grid-template-columns:auto 1fr;gap:4px 8px;font-size:12.5px;color:var(--soft)}
.plot .y{display:flex;flex-direction:column;justify-content:space-between;text-align:right;
height:218px;margin:-9px 0}
.plot svg{width:100%;height:200px;display:block;overflow:visible}
.plot .x{grid-column:2;display:flex;justify-content:space-between}
.plot .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.plot .area{fill:var(--accent-soft)}
.plot .line{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke;
stroke-linejoin:round}
.plot .errors{fill:none;stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3;
vector-effect:non-scaling-stroke;stroke-linejoin:round}
.plot .run{stroke:var(--soft);stroke-dasharray:2 3;vector-effect:non-scaling-stroke}
.plot .slot rect{fill:transparent}
.plot .slot line{stroke:var(--ink);stroke-width:1;vector-effect:non-scaling-stroke;opacity:0}
.plot .slot:hover line{opacity:.5}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;font-size:13px;color:var(--soft);margin:12px 0 0;
padding:0;list-style:none}
.legend i{display:inline-block;width:18px;border-top:2px solid var(--accent);margin-right:6px;
vertical-align:middle}
.legend i.e{border-top:2px dashed var(--bad)}
details{border-top:1px solid var(--line);padding:12px 0}
details:first-of-type{border-top:0}
summary{cursor:pointer;display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline}
summary b{overflow-wrap:anywhere}
summary::before{content:"\25B8";color:var(--soft)}
details[open]>summary::before{content:"\25BE"}
summary::-webkit-details-marker{display:none}
summary span{color:var(--soft);font-size:14px}
dl{display:grid;grid-template-columns:minmax(130px,max-content) 1fr;gap:6px 20px;margin:14px 0 4px;
font-size:14px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
ol.rules{list-style:none;margin:0;padding:0}
ol.rules li{margin:0 0 4px}
.ok{color:var(--good);margin:0}
footer.wrap{color:var(--soft);font-size:13px;padding-bottom:40px}
@media (max-width:640px){
.wrap{padding:0 16px}
h1{font-size:20px}
.card{padding:16px}
.tiles{grid-template-columns:1fr 1fr;gap:8px}
.tile b{font-size:20px}
table.list thead{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}
table.list,table.list tbody,table.list tr,table.list td{display:block;width:100%}
table.list tr{padding:10px 0;border-bottom:1px solid var(--line)}
table.list tr:last-child{border-bottom:0}
table.list td{border:0;padding:2px 0;text-align:left;min-width:0;white-space:normal}
table.list td[data-label]::before{content:attr(data-label) " ";color:var(--soft);font-size:13px}
table.list td.url::before{content:none}
dl{grid-template-columns:1fr;gap:0}
dd{margin:0 0 8px}
.bars td.num{white-space:normal}
}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#004a78;
--accent-soft:#d8ebf7;--bad:#8a2f00;--bad-soft:#fbe6da;--good:#00553d;--good-soft:#d9f1e8}
nav,input.filter{display:none}.card,.tile{break-inside:avoid;border-color:#bbb}.wrap{max-width:none}
.scroll{max-height:none;overflow:visible}body{font-size:11pt}tr{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

const char* const kReportScript = R"js(
for (const table of document.querySelectorAll('table.list')) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const value = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.v);
  };
  [...table.tHead.rows[0].cells].forEach((head, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.title = 'Sort';
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') === 'descending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const order = up ? 1 : -1;
      rows.sort((a, b) => {
        const x = value(a, i), y = value(b, i);
        return x < y ? -order : x > y ? order : 0;
      });
      body.append(...rows);
    });
  });
  if (rows.length < 8) continue;
  const filter = document.createElement('input');
  filter.type = 'search';
  filter.className = 'filter';
  filter.placeholder = 'Filter ' + rows.length + ' rows';
  filter.setAttribute('aria-label', 'Filter the rows below');
  table.parentElement.before(filter);
  filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
)js";

const char* const kReportScriptHash = "N53LkY72uaePu7VYgERMNR1GXPenbuw+uLkYYtAU5dg=";
