import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';
import { htmlPage, pageStyle } from './html-page.ts';

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
// A field named answers.size is the member size of the object answers, unless it is empty.
const fieldsOf = (form) => {
  const fields = {};
  for (const [name, value] of new FormData(form)) {
    const [outer, inner] = name.split('.');
    if (inner === undefined) fields[name] = value;
    else if (value !== '') fields[outer] = { ...fields[outer], [inner]: value };
  }
  return fields;
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
      body: JSON.stringify(fieldsOf(form)) });
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

interface Input {
  name: string;
  label: string;
  type: 'text' | 'password' | 'email';
  autocomplete: string;
  minLength?: number;
  isOptional?: boolean;
}

/** A choice of one of several values. */
interface Choice {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  /** The value that is chosen at first. */
  value?: string;
}

type Field = Input | Choice;

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
  const content = `<p>${linesOf(text)}</p>
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
  const content = `<p>${linesOf(text)}</p>\n${next ? `<p>${linkOf(next)}</p>` : ''}`;
  return served(htmlPage({ title, content }));
}

function fieldOf(field: Field): string {
  const name = escapeHtml(field.name);
  const control = 'options' in field ? choiceOf(field) : inputOf(field);
  return `<label>${escapeHtml(field.label)}${control}</label>
<p id="${name}-error" data-error="${name}" role="alert"></p>`;
}

function inputOf({ name, type, autocomplete, minLength, isOptional }: Input): string {
  const min = minLength === undefined ? '' : ` minlength="${minLength}"`;
  const required = isOptional ? '' : ' required';
  return `<input name="${escapeHtml(name)}" type="${type}" autocomplete="${autocomplete}"${min}${required} aria-describedby="${escapeHtml(name)}-error">`;
}

function choiceOf({ name, options, value }: Choice): string {
  const items = options.map((option) => {
    const chosen = option.value === value ? ' selected' : '';
    return `<option value="${escapeHtml(option.value)}"${chosen}>${escapeHtml(option.label)}</option>`;
  });
  return `<select name="${escapeHtml(name)}" required aria-describedby="${escapeHtml(name)}-error">${items.join('')}</select>`;
}

function linkOf({ label, url }: Link): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
}

function linesOf(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function served(body: string) {
  return { body, type: 'text/html; charset=utf-8', contentPolicy: policy };
}
