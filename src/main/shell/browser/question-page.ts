import type { Question } from '../../app/door';

/** What a question is about, so that nothing in it reads as markup or moves the words around it. */
export const asText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (char) =>
      char === '\n' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Milliseconds that a question must have been in full sight before yes can be pressed. */
const IN_SIGHT = 600;

export function questionPage(question: Question, nonce: string, theme: string): string {
  const details = question.detail
    .split('\n')
    .map((line) => `<p>${asText(line)}</p>`)
    .join('');
  return `<!doctype html>
<html lang="en"${theme === 'dark' || theme === 'light' ? ` data-theme="${theme}"` : ''}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Holdfast asks</title>
<link rel="stylesheet" href="/question.css">
<script type="module" src="/question.js"></script>
<main data-nonce="${asText(nonce)}">
<h1>${asText(question.message)}</h1>
<div id="detail" tabindex="0" role="group" aria-label="Details">${details}</div>
<p id="state" role="status"></p>
<footer>
<a id="tab" target="_blank" rel="noopener" hidden>Answer in a tab</a>
<button type="button" id="no">Don’t allow</button>
<button type="button" id="yes" disabled>${asText(question.yes)}</button>
</footer>
</main>
</html>
`;
}

/**
 * The script of such a page. Inside the window, yes can be pressed only while the browser sees that nothing covers the
 * question; a browser that can't tell has it answered in a tab of its own.
 */
export const QUESTION_SCRIPT = `
const find = (id) => document.getElementById(id);
const main = document.querySelector('main');
const [yes, no, state, tab] = ['yes', 'no', 'state', 'tab'].map(find);
let over = false;
let timer;
const arm = (seen) => {
  clearTimeout(timer);
  if (over) return;
  yes.disabled = true;
  if (seen) timer = setTimeout(() => { if (!over) yes.disabled = false; }, ${IN_SIGHT});
};
const answer = async (event, agreed) => {
  if (!event.isTrusted || over) return;
  over = true;
  yes.disabled = no.disabled = true;
  const sent = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce: main.dataset.nonce, yes: agreed }),
  }).catch(() => undefined);
  state.textContent = !sent?.ok
    ? 'This question is no longer open.'
    : agreed ? 'Allowed. You can close this tab.' : 'Not allowed. You can close this tab.';
};
yes.addEventListener('click', (event) => answer(event, true));
no.addEventListener('click', (event) => answer(event, false));
if (window.top === window) {
  const look = () => arm(document.visibilityState === 'visible');
  document.addEventListener('visibilitychange', look);
  look();
} else {
  const seen = new IntersectionObserver(
    ([entry]) => {
      if (entry.isVisible === undefined) {
        seen.disconnect();
        tab.href = location.href;
        tab.hidden = false;
        yes.hidden = true;
        state.textContent = 'This browser can’t tell whether anything covers this question.';
        return;
      }
      arm(entry.isVisible && entry.intersectionRatio >= 0.99);
    },
    { threshold: [0, 0.5, 0.99, 1], trackVisibility: true, delay: 100 },
  );
  seen.observe(main);
}
`;

export const QUESTION_STYLE = `
:root { color-scheme: light; --ground: #fff; --ink: #1d1d1f; --soft: #5b5b62; --line: #d8d8de; --accent: #2a5bd7; --on: #fff; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) { color-scheme: dark; --ground: #222226; --ink: #ececf0; --soft: #a9a9b3; --line: #45454d; --accent: #7ea2ff; --on: #14161c; }
}
:root[data-theme=dark] { color-scheme: dark; --ground: #222226; --ink: #ececf0; --soft: #a9a9b3; --line: #45454d; --accent: #7ea2ff; --on: #14161c; }
* { box-sizing: border-box; margin: 0; }
html, body { height: 100%; }
body { background: var(--ground); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; }
main { display: flex; flex-direction: column; gap: 0.75rem; height: 100%; max-width: 40rem; margin: 0 auto; padding: 1.25rem; }
h1 { font-size: 1.0625rem; font-weight: 600; overflow-wrap: anywhere; }
#detail { flex: 1; min-height: 0; overflow-y: auto; overflow-wrap: anywhere; color: var(--soft); }
#detail p { white-space: pre-wrap; }
#state { color: var(--soft); }
#state:empty { display: none; }
footer { display: flex; gap: 0.5rem; justify-content: flex-end; align-items: center; }
button, a { padding: 0.4375rem 0.875rem; border: 1px solid var(--line); border-radius: 0.5rem; background: transparent; color: inherit; font: inherit; text-decoration: none; }
#yes, a { border-color: var(--accent); background: var(--accent); color: var(--on); }
button:disabled { opacity: 0.5; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none; }
`;
