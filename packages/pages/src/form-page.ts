import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';
import { htmlPage, type PageLanguage, pageStyle } from './html-page.ts';

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
  const put = (name, value) => {
    const [outer, inner] = name.split('.');
    if (inner === undefined) fields[name] = value;
    else if (value !== '') fields[outer] = { ...fields[outer], [inner]: value };
  };
  for (const [name, value] of new FormData(form)) put(name, value);
  for (const box of form.querySelectorAll('[type=checkbox]')) put(box.name, box.checked);
  for (const choice of form.querySelectorAll('[data-null]')) if (choice.value === '') put(choice.name, null);
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
    const response = await fetch(form.dataset.action, { method: form.dataset.method, headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fieldsOf(form)) });
    const reply = await response.json();
    if (response.ok) {
      show(form.dataset.done || reply.message, false);
      form.hidden = !form.dataset.stays;
      button.disabled = false;
      if (next) next.hidden = false;
    } else if ((reply.errors || []).some(({ field }) => field === 'token')) {
      location.reload();
    } else {
      showError(reply);
      button.disabled = false;
    }
  } catch {
    show(form.dataset.unreachable, true);
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
  /** Sends the empty value as null. */
  isNullable?: boolean;
}

/** A box that is sent as true or false. */
interface Check {
  name: string;
  label: string;
  checked: boolean;
}

type Field = Input | Choice | Check;

const texts = {
  en: { noScript: 'This page needs JavaScript.', unreachable: 'The server could not be reached. Try again.' },
  de: {
    noScript: 'Diese Seite benötigt JavaScript.',
    unreachable: 'Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.',
  },
};

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
  /** The language of all texts. */
  lang?: PageLanguage;
  /** The path of the operation, a POST unless `method` says otherwise. */
  action: string;
  method?: 'POST' | 'PATCH';
  token?: string;
  fields?: readonly Field[];
  button: string;
  /** Shown after success instead of the message of the operation. */
  done?: string;
  /** Keeps the form visible after success. */
  stays?: boolean;
  /** Shown after success. */
  next?: Link | undefined;
}) {
  const { title, text, action, method = 'POST', lang = 'en', token, fields = [], button, next } = form;
  const { noScript, unreachable } = texts[lang];
  const done = form.done === undefined ? '' : ` data-done="${escapeHtml(form.done)}"`;
  const stays = form.stays ? ' data-stays="true"' : '';
  const content = `<p>${linesOf(text)}</p>
<form data-action="${escapeHtml(action)}" data-method="${method}" data-unreachable="${unreachable}"${done}${stays}>
${token === undefined ? '' : `<input type="hidden" name="token" value="${escapeHtml(token)}">`}
${fields.map(fieldOf).join('\n')}
<button>${escapeHtml(button)}</button>
</form>
<p role="status"></p>
${next ? `<p data-next hidden>${linkOf(next)}</p>` : ''}
<noscript><p>${noScript}</p></noscript>`;
  return served(htmlPage({ title, content, script, lang }));
}

/** A page that only tells something. */
export function noticePage({
  title,
  text,
  next,
  lang,
}: {
  title: string;
  text: string;
  next?: Link | undefined;
  lang?: PageLanguage;
}) {
  const content = `<p>${linesOf(text)}</p>\n${next ? `<p>${linkOf(next)}</p>` : ''}`;
  return served(htmlPage({ title, content, ...(lang && { lang }) }));
}

function fieldOf(field: Field): string {
  const name = escapeHtml(field.name);
  if ('checked' in field) return `${checkOf(field)}\n<p id="${name}-error" data-error="${name}" role="alert"></p>`;
  const control = 'options' in field ? choiceOf(field) : inputOf(field);
  return `<label>${escapeHtml(field.label)}${control}</label>
<p id="${name}-error" data-error="${name}" role="alert"></p>`;
}

function inputOf({ name, type, autocomplete, minLength, isOptional }: Input): string {
  const min = minLength === undefined ? '' : ` minlength="${minLength}"`;
  const required = isOptional ? '' : ' required';
  return `<input name="${escapeHtml(name)}" type="${type}" autocomplete="${autocomplete}"${min}${required} aria-describedby="${escapeHtml(name)}-error">`;
}

function checkOf({ name, label, checked }: Check): string {
  const box = `<input type="checkbox" name="${escapeHtml(name)}"${checked ? ' checked' : ''} aria-describedby="${escapeHtml(name)}-error">`;
  return `<label data-check>${box} <span>${escapeHtml(label)}</span></label>`;
}

function choiceOf({ name, options, value, isNullable }: Choice): string {
  const items = options.map((option) => {
    const chosen = option.value === value ? ' selected' : '';
    return `<option value="${escapeHtml(option.value)}"${chosen}>${escapeHtml(option.label)}</option>`;
  });
  const requirement = isNullable ? 'data-null' : 'required';
  return `<select name="${escapeHtml(name)}" ${requirement} aria-describedby="${escapeHtml(name)}-error">${items.join('')}</select>`;
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
