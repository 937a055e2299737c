import { createHash } from 'node:crypto';
import { escapeHtml, htmlPage, pageStyle } from '@tandem/service';
import type { Tools } from './handler.ts';

// Sends the form as JSON to the operation that it names, and shows each error below its input. A link that does not work
// any more reloads the page, which then says so.
const script = `
const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const next = document.querySelector('[data-next]');
const show = (text, isBad) => {
  status.textContent = text;
  status.className = isBad ? 'bad' : '';
};
const showError = ({ message, errors = [] }) => {
  const others = [];
  for (const one of errors) {
    const place = form.querySelector('[data-error="' + one.field + '"]');
    if (place) place.textContent = one.message;
    else others.push(one.message);
  }
  show(errors.length ? others.join('\\n') : message, true);
};
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  for (const place of form.querySelectorAll('[data-error]')) place.textContent = '';
  show('', false);
  try {
    const response = await fetch(form.dataset.action, { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))) });
    const reply = await response.json();
    if (response.ok) {
      show(reply.message, false);
      form.hidden = true;
      if (next) next.hidden = false;
    } else if ((reply.errors || []).some(({ field }) => field === 'token')) {
      location.reload();
    } else {
      showError(reply);
      button.disabled = false;
    }
  } catch {
    show('The server could not be reached. Try again.', true);
    button.disabled = false;
  }
});
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the pages: their own style and script, and calls to this server. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(pageStyle)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Field {
  name: string;
  label: string;
  type: 'text' | 'password' | 'email';
  autocomplete: string;
  minLength?: number;
}

interface Link {
  label: string;
  url: string;
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
  token?: string;
  fields?: readonly Field[];
  button: string;
  /** Shown after success. */
  next?: Link | undefined;
}) {
  const { title, text, action, token, fields = [], button, next } = form;
  const content = `<p>${escapeHtml(text)}</p>
<form data-action="${escapeHtml(action)}">
${token === undefined ? '' : `<input type="hidden" name="token" value="${escapeHtml(token)}">`}
${fields.map(fieldOf).join('\n')}
<button>${escapeHtml(button)}</button>
</form>
<p role="status"></p>
${next ? `<p data-next hidden>${linkOf(next)}</p>` : ''}
<noscript><p>This page needs JavaScript.</p></noscript>`;
  return served(htmlPage({ title, content, script }));
}

/** A page that only tells something. */
export function noticePage({ title, text, next }: { title: string; text: string; next?: Link | undefined }) {
  const content = `<p>${escapeHtml(text)}</p>\n${next ? `<p>${linkOf(next)}</p>` : ''}`;
  return served(htmlPage({ title, content }));
}

/** The link to the console, where people sign in; undefined without one. */
export function signInLink({ consoleUrl }: Pick<Tools, 'consoleUrl'>): Link | undefined {
  return consoleUrl === undefined ? undefined : { label: 'Sign in', url: consoleUrl };
}

function fieldOf({ name, label, type, autocomplete, minLength }: Field): string {
  const min = minLength === undefined ? '' : ` minlength="${minLength}"`;
  return `<label>${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}"${min} required aria-describedby="${name}-error"></label>
<p id="${name}-error" data-error="${name}" role="alert"></p>`;
}

function linkOf({ label, url }: Link): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
}

function served(body: string) {
  return { body, type: 'text/html; charset=utf-8', contentPolicy: policy };
}
