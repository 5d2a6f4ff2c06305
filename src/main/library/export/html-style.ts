import { createHash } from 'node:crypto';
import { escaped } from './escape';

/** The look of exported pages: no font, image or script from anywhere. */
const STYLE = `
:root{color-scheme:light dark;--bg:#fbfaf8;--fg:#1d1c1a;--soft:#6a665f;--line:#e2ded6;--card:#fff;--code:#f3f1ec;--mark:#0b6b63;--warn:#9a3b12;--warnbg:#fdf1ea}
@media (prefers-color-scheme:dark){:root{--bg:#171614;--fg:#eceae6;--soft:#a5a099;--line:#34322e;--card:#1f1e1b;--code:#262420;--mark:#5fc9be;--warn:#f0a37c;--warnbg:#33231a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:52rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.6rem;line-height:1.3;margin:0 0 1rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:2.25rem 0 .5rem;color:var(--mark)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0 0 1.5rem;font-size:.875rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
article{margin:1rem 0;overflow-wrap:anywhere;unicode-bidi:isolate}
.prompt,.plain{unicode-bidi:plaintext}
code,pre{unicode-bidi:isolate;text-align:left}
.prompt{background:var(--card);border:1px solid var(--line);border-inline-start:3px solid var(--mark);border-radius:6px;padding:.75rem 1rem;white-space:pre-wrap}
.call,.note{border:1px solid var(--line);border-radius:6px;background:var(--card);padding:.5rem .75rem;font-size:.9rem}
.call>p{margin:.1rem 0 .4rem}
.seam,.damage,.lost{border:1px solid var(--warn);background:var(--warnbg);border-radius:6px;padding:.75rem 1rem}
.seam p,.damage p,.lost p{margin:.2rem 0}
.bad>summary{color:var(--warn)}
.end,.quiet{color:var(--soft);font-size:.9rem}
.end{border-top:1px solid var(--line);padding-top:.75rem}
summary{cursor:pointer;color:var(--soft);padding:.125rem 0}
pre,code{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:3px;padding:.1em .3em}
pre{background:var(--code);border-radius:6px;padding:.75rem;margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{background:none;padding:0}
.plain,.tex{white-space:pre-wrap}
p.tex{text-align:center;overflow-x:auto}
.tex{unicode-bidi:isolate;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
table{border-collapse:collapse;display:block;max-width:100%;overflow-x:auto}
th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:start;vertical-align:top}
blockquote{margin:.75rem 0;padding-inline-start:1rem;border-inline-start:3px solid var(--line);color:var(--soft)}
a{color:var(--mark)}
.runs{display:table;width:100%;font-size:.9rem}
footer{margin-top:3rem;color:var(--soft);font-size:.8rem}
@media print{
:root{--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--card:#fff;--code:#f5f5f5;--mark:#000;--warn:#000;--warnbg:#fff}
body{font-size:10.5pt}main{max-width:none;padding:0}
details::details-content{content-visibility:visible;display:block;height:auto}
h1,h2,summary{break-after:avoid}pre,article{break-inside:auto}
}
`;
const HASH = createHash('sha256').update(STYLE).digest('base64');

/** Everything before the page's own content. The policy in it forbids scripts, and whatever would be loaded. */
export const htmlHead = (title: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
`;

export const HTML_END = '</main>\n</body>\n</html>\n';
