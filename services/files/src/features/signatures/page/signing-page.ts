import { createHash } from 'node:crypto';
import { escapeHtml, htmlDocument } from '@tandem/pages';
import { initialsOf } from '../field-values.ts';
import type { SigningRecord } from '../signing.ts';
import { languageOf, textsOf, timeText } from '../texts.ts';
import { signingScript } from './page-script.ts';
import { signingStyle } from './page-style.ts';
import { type PageTexts, pageTextsOf } from './page-texts.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the page: its own style and script, its form, and the document. */
const contentPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(signingStyle)}`,
  `script-src ${hashOf(signingScript)}`,
  "frame-src 'self'",
  "object-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface PageInput {
  view: SigningRecord;
  /** The path of the form, which has the token. */
  action: string;
  /** Whether the request is one of the sandbox. */
  isTest: boolean;
  language: string;
  /** The public ids of the fields. */
  codeOf(fieldId: number): string;
  /** The error of the submitted form. */
  error: string | undefined;
}

/** The page on which a person reads the document and signs, approves or declines. */
export function signingPage(input: PageInput) {
  const texts = pageTextsOf(input.language);
  const { view } = input;
  const content = `<div class="columns">
<section class="card" aria-labelledby="document-title">${documentCard(input, texts)}</section>
<div>${view.canSign ? formCard(input, texts) : readCard(texts)}${othersCard(view, texts)}</div>
</div>`;
  return served({ title: view.subject, content, input, texts });
}

/** The page that tells what became of the request. */
export function statePage(
  input: PageInput,
  state: keyof PageTexts['states'],
  options: { showsDocument?: boolean; reason?: string | null } = {},
) {
  const texts = pageTextsOf(input.language);
  const [title = '', text = ''] = texts.states[state];
  const { redirectUrl, documentUrl } = input.view;
  const isDone = state === 'signed' || state === 'approved' || state === 'completed';
  const content = `<section class="card">
<h2>${escapeHtml(title)}</h2>
<p>${escapeHtml(text)}</p>
${options.reason ? `<p>${escapeHtml(texts.cancelReason(options.reason))}</p>` : ''}
${options.showsDocument ? `<p><a class="button" href="${escapeHtml(documentUrl)}">${escapeHtml(texts.open)}</a></p>` : ''}
${isDone && redirectUrl ? `<p><a href="${escapeHtml(redirectUrl)}" rel="noreferrer">${escapeHtml(texts.continue)}</a></p>` : ''}
</section>${options.showsDocument ? othersCard(input.view, texts) : ''}`;
  return served({ title: input.view.subject, content, input, texts });
}

function documentCard({ view }: PageInput, texts: PageTexts): string {
  const url = escapeHtml(view.documentUrl);
  return `<h2 id="document-title">${escapeHtml(texts.document)}</h2>
${view.message ? `<p class="message">${escapeHtml(view.message)}</p>` : ''}
<p><strong>${escapeHtml(view.filename)}</strong> · ${escapeHtml(texts.pages(view.pageCount))}</p>
<p><a class="button plain" href="${url}" target="_blank" rel="noopener">${escapeHtml(texts.open)}</a></p>
<p class="soft">${escapeHtml(texts.openHint)}</p>
<div><iframe data-src="${url}" title="${escapeHtml(view.filename)}"></iframe></div>`;
}

function readCard(texts: PageTexts): string {
  const [title = '', text = ''] = texts.states.read;
  return `<section class="card"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(text)}</p></section>`;
}

function formCard(input: PageInput, texts: PageTexts): string {
  const { view, action, error } = input;
  const isSigner = view.signer.role === 'signer';
  const form = `<form class="card" method="post" action="${escapeHtml(action)}" data-sign>
${error ? `<p class="error" role="alert">${escapeHtml(errorText(error, texts))}</p>` : ''}
${fieldsOf(input, texts)}
${isSigner ? signatureOf(view, texts) : ''}
<p><label class="check"><input type="checkbox" name="consent" value="yes" required> <span>${escapeHtml(view.consentText)}</span></label></p>
<button class="wide" name="action" value="sign">${escapeHtml(isSigner ? texts.sign : texts.approve)}</button>
</form>`;
  const decline = `<details class="card"><summary>${escapeHtml(isSigner ? texts.declineTitle : texts.declineTitleApprove)}</summary>
<form method="post" action="${escapeHtml(action)}">
<p>${escapeHtml(texts.declineText)}</p>
<label>${escapeHtml(texts.reason)}<textarea name="reason" rows="3" maxlength="1000" required></textarea></label>
<button class="danger" name="action" value="decline">${escapeHtml(texts.decline)}</button>
</form></details>`;
  return form + decline;
}

function fieldsOf({ view, codeOf }: PageInput, texts: PageTexts): string {
  const shown = view.fields.filter(({ type }) => type === 'text' || type === 'checkbox' || type === 'initials');
  if (!shown.length) return '';
  const inputs = shown.map(({ id, type, required, label }) => {
    const name = `field_${codeOf(id)}`;
    const need = required ? ' required' : '';
    const text = escapeHtml(label ?? (type === 'initials' ? texts.initials : texts.fields));
    const mark = required ? ` <span class="soft">(${escapeHtml(texts.required)})</span>` : '';
    if (type === 'checkbox')
      return `<p><label class="check"><input type="checkbox" name="${name}" value="yes"${need}> <span>${text}${mark}</span></label></p>`;
    const value =
      type === 'initials' ? ` value="${escapeHtml(initialsOf(view.signer.name))}" maxlength="10"` : ' maxlength="500"';
    return `<label>${text}${mark}<input type="text" name="${name}"${value}${need}></label>`;
  });
  return `<fieldset><legend>${escapeHtml(texts.fields)}</legend>${inputs.join('\n')}</fieldset>`;
}

function signatureOf({ signer }: SigningRecord, texts: PageTexts): string {
  const radio = (value: string, label: string, checked: boolean) =>
    `<label class="check"><input type="radio" name="signature" value="${value}"${checked ? ' checked' : ''}> <span>${escapeHtml(label)}</span></label>`;
  return `<fieldset><legend>${escapeHtml(texts.yourSignature)}</legend>
<div class="choice" data-choice hidden>${radio('typed', texts.typed, true)}${radio('drawn', texts.drawn, false)}</div>
<label data-typed>${escapeHtml(texts.typedLabel)}<input class="hand" type="text" name="typed" value="${escapeHtml(signer.name)}" maxlength="100" autocomplete="name" required></label>
<div data-drawn hidden>
<canvas width="1000" height="300" tabindex="0" role="img" aria-label="${escapeHtml(texts.drawLabel)}"></canvas>
<p class="error" data-missing role="alert" hidden>${escapeHtml(texts.errors.signature)}</p>
<div class="draw-row"><span class="soft">${escapeHtml(texts.drawLabel)}</span><button class="plain" type="button" data-clear>${escapeHtml(texts.clear)}</button></div>
<input type="hidden" name="drawing" value="">
</div></fieldset>`;
}

function othersCard({ others }: SigningRecord, texts: PageTexts): string {
  if (!others.length) return '';
  const items = others.map(
    ({ name, status }) =>
      `<li><span>${escapeHtml(name)}</span> <span class="soft">${escapeHtml(texts.status[status])}</span></li>`,
  );
  return `<section class="card"><h2>${escapeHtml(texts.others)}</h2><ul>${items.join('')}</ul></section>`;
}

function errorText(error: string, texts: PageTexts): string {
  return Object.hasOwn(texts.errors, error) ? texts.errors[error as keyof PageTexts['errors']] : texts.errors.other;
}

function served({
  title,
  content,
  input: { view, isTest, language },
  texts,
}: {
  title: string;
  content: string;
  input: PageInput;
  texts: PageTexts;
}) {
  const { signer, senderName, expiresAt } = view;
  const body = `<body>
<header>
${isTest ? `<p class="error">${escapeHtml(textsOf(language).test)}</p>` : ''}
<p class="soft">${escapeHtml(senderName)} ${escapeHtml(texts.asked[signer.role])}</p>
<h1>${escapeHtml(title)}</h1>
<p class="soft">${escapeHtml(texts.for(signer.name, signer.email))}${view.canSign ? ` ${escapeHtml(texts.until(timeText(expiresAt, language)))}` : ''}</p>
</header>
<main>${content}</main>
<script>${signingScript}</script>
</body>`;
  const page = htmlDocument({ lang: languageOf(language), title, referrer: 'same-origin', style: signingStyle, body });
  return { body: page, type: 'text/html; charset=utf-8', contentPolicy };
}
