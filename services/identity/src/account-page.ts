import { createHash } from 'node:crypto';
import { escapeHtml } from '@tandem/service';

const style = `
:root { color-scheme: light dark; --ink: #1f2430; --soft: #667085; --paper: #fff; --ground: #f4f5f7; --deep: #2f55d4; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #9aa3b2; --paper: #1e2128; --ground: #14161b; --deep: #8aa4ff; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1.05rem/1.6 system-ui, sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--paper); border-radius: 1rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
label { display: block; margin: 0 0 1rem; }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; border: 1px solid var(--soft);
  border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit; }
button { padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: var(--deep); color: var(--paper); font: inherit;
  font-weight: 600; cursor: pointer; }
button:focus-visible, input:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
[role=status] { margin: 1rem 0 0; white-space: pre-line; }
.bad { color: var(--bad); }
`;

// Sends the form as JSON to the operation that it names, and shows the answer.
const script = `
const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const response = await fetch(form.dataset.action, { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))) });
    const reply = await response.json();
    const details = (reply.errors || []).map((one) => one.field + ': ' + one.message).join('\\n');
    status.textContent = reply.message + (details ? '\\n' + details : '');
    status.className = response.ok ? '' : 'bad';
    if (response.ok) form.hidden = true;
    else button.disabled = false;
  } catch {
    status.textContent = 'The server could not be reached. Try again.';
    status.className = 'bad';
    button.disabled = false;
  }
});
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the pages: their own style and script, and calls to this server. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Field {
  name: string;
  label: string;
  type: 'text' | 'password';
  autocomplete: string;
}

/**
 * A page with a form that calls an operation with JSON. The token of the link is a hidden field unless it is part of the
 * operation's path. The page itself changes nothing, because mail scanners follow links too.
 */
export function formPage(form: {
  title: string;
  text: string;
  /** The path of the operation. */
  action: string;
  token?: string | undefined;
  fields?: readonly Field[];
  button: string;
}) {
  const { title, text, action, token, fields = [], button } = form;
  const inputs = fields.map(
    ({ name, label, type, autocomplete }) =>
      `<label>${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}" required></label>`,
  );
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<form data-action="${escapeHtml(action)}">
${token === undefined ? '' : `<input type="hidden" name="token" value="${escapeHtml(token)}">`}
${inputs.join('\n')}
<button>${escapeHtml(button)}</button>
</form>
<p role="status"></p>
<noscript><p>This page needs JavaScript.</p></noscript>
</main><script>${script}</script></body>
</html>
`;
  return { body, type: 'text/html; charset=utf-8', contentPolicy: policy };
}
