import type { PublicForm } from '@tandem/campaign-contract';
import { escapeHtml } from '@tandem/pages';
import type { z } from 'zod';
import { formAnchor } from '../landing-pages/arrange-html.ts';
import type { Words } from './words.ts';

export type ShownForm = z.output<typeof PublicForm>;
type Field = ShownForm['fields'][number];

const inputTypes = { text: 'text', email: 'email', phone: 'tel', number: 'number', date: 'date' } as const;
const autocompletes: [key: RegExp, type: Field['type'], token: string][] = [
  [/./, 'email', 'email'],
  [/./, 'phone', 'tel'],
  [/^(first|given)_?name$/i, 'text', 'given-name'],
  [/^(last|family|sur)_?name$/i, 'text', 'family-name'],
  [/^(full_?)?name$/i, 'text', 'name'],
  [/^(company|organi[sz]ation)(_?name)?$/i, 'text', 'organization'],
];

/** The HTML of a form, below the heading of its section; the script of the page sends it. */
export function formHtml(form: ShownForm, words: Words): string {
  const { name, submitUrl, fields, consentText, renderToken } = form;
  const action = new URL(submitUrl).pathname;
  return `<section class="tp-form" id="${formAnchor}" aria-label="${escapeHtml(name)}">
<form data-action="${escapeHtml(action)}" data-token="${escapeHtml(renderToken)}" data-unreachable="${escapeHtml(words.unreachable)}" data-check="${escapeHtml(words.check)}" novalidate>
${fields.map((field) => fieldHtml(field, words)).join('\n')}
${consentText === null ? '' : consentHtml(consentText)}
<div class="tp-trap" aria-hidden="true"><label for="tp-website">Website</label><input id="tp-website" name="honeypot" type="text" tabindex="-1" autocomplete="off"></div>
<button type="submit">${escapeHtml(words.send)}</button>
<noscript><p>${escapeHtml(words.needsScript)}</p></noscript>
</form>
<p class="tp-status" role="status" tabindex="-1"></p>
</section>`;
}

function fieldHtml(field: Field, words: Words): string {
  const { key, label, type, required } = field;
  const id = `tp-field-${key}`;
  const hint = required ? '' : ` <small>(${escapeHtml(words.optional)})</small>`;
  const attributes = `id="${id}" name="${key}" data-type="${type}" aria-describedby="${id}-error"${required ? ' required' : ''}`;
  const error = `<p class="tp-error" id="${id}-error" data-error="fields.${key}" role="alert"></p>`;
  const caption = `<label for="${id}">${escapeHtml(label)}${type === 'checkbox' && required ? '' : hint}</label>`;
  if (type === 'checkbox')
    return `<div class="tp-field tp-check"><input type="checkbox" ${attributes}>${caption}${error}</div>`;
  return `<div class="tp-field">${caption}${controlHtml(field, attributes, words)}${error}</div>`;
}

function controlHtml({ key, type, options }: Field, attributes: string, words: Words): string {
  if (type === 'textarea') return `<textarea ${attributes} maxlength="5000"></textarea>`;
  if (type === 'select') {
    const items = options.map((option) => `<option value="${escapeHtml(option)}">${escapeHtml(option)}</option>`);
    return `<select ${attributes}><option value="">${escapeHtml(words.choose)}</option>${items.join('')}</select>`;
  }
  const token = autocompletes.find(([keys, of]) => of === type && keys.test(key))?.[2] ?? 'off';
  const step = type === 'number' ? ' step="any"' : '';
  return `<input type="${inputTypes[type as keyof typeof inputTypes]}" ${attributes} autocomplete="${token}"${step}>`;
}

function consentHtml(text: string): string {
  return `<div class="tp-field tp-check"><input type="checkbox" id="tp-consent" name="consent" data-consent aria-describedby="tp-consent-error"><label for="tp-consent">${escapeHtml(text)}</label><p class="tp-error" id="tp-consent-error" data-error="consent" role="alert"></p></div>`;
}

/**
 * Sends the form as JSON, shows each error below its input, and then thanks or opens the address that the form names. UTM
 * parameters and the referral code of the page are sent along.
 */
export const formScript = `
const form = document.querySelector('.tp-form form');
const status = document.querySelector('.tp-status');
const query = new URLSearchParams(location.search);
const show = (text, isBad) => {
  status.textContent = text;
  status.classList.toggle('tp-bad', isBad);
};
const valueOf = (input) => {
  if (input.type === 'checkbox') return input.checked;
  return input.dataset.type === 'number' && input.value !== '' ? Number(input.value) : input.value;
};
const bodyOf = () => {
  const body = { fields: {}, honeypot: form.elements.honeypot.value, renderToken: form.dataset.token };
  for (const input of form.querySelectorAll('[data-type]')) body.fields[input.name] = valueOf(input);
  const consent = form.querySelector('[data-consent]');
  if (consent) body.consent = consent.checked;
  const utm = {};
  for (const part of ['source', 'medium', 'campaign', 'term', 'content']) {
    const value = query.get('utm_' + part);
    if (value) utm[part] = value.slice(0, 200);
  }
  if (Object.keys(utm).length) body.utm = utm;
  const code = query.get('ref');
  if (code && code.length >= 4 && code.length <= 32) body.referralCode = code;
  return body;
};
const showErrors = ({ message, errors = [] }) => {
  const others = [];
  let first;
  for (const one of errors) {
    const place = [...form.querySelectorAll('[data-error]')].find((each) => each.dataset.error === one.field);
    if (!place) {
      others.push(one.message);
      continue;
    }
    place.textContent = one.message;
    const input = form.querySelector('[aria-describedby="' + place.id + '"]');
    input.setAttribute('aria-invalid', 'true');
    first = first || input;
  }
  show(others.length ? others.join('\\n') : first ? form.dataset.check : message, true);
  if (first) first.focus();
};
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  for (const place of form.querySelectorAll('[data-error]')) place.textContent = '';
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  show('', false);
  try {
    const response = await window.fetch(form.dataset.action, { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(bodyOf()) });
    const reply = await response.json();
    if (!response.ok) {
      showErrors(reply);
      button.disabled = false;
      return;
    }
    form.hidden = true;
    show(reply.message, false);
    status.focus();
    if (reply.data.redirectUrl && !reply.data.confirmationRequired) location.assign(reply.data.redirectUrl);
  } catch {
    show(form.dataset.unreachable, true);
    button.disabled = false;
  }
});
`;
