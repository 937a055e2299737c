import type { Content } from './message.ts';
import { mailStyle } from './style.ts';

const { colors, font, breakWords } = mailStyle;

/** The content of a letter, from which its HTML and its plain text are made. All parts are plain text. */
export interface Letter {
  subject: string;
  /** The language of the texts (BCP 47). */
  language: string;
  /** Shown by mail clients beside the subject. */
  preview: string;
  title: string;
  paragraphs: readonly string[];
  /** `hint` introduces the address below the button, for clients that show no button. */
  button?: { label: string; url: string; hint?: string };
  /** Paragraphs after the button. */
  notes?: readonly string[];
  /** The footer: the sender of the message, and why the recipient gets it. */
  footer: readonly string[];
}

// Clients without support ignore media queries. Clients that invert colors themselves do not change these.
const rules = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.page{background:#14161b!important}.card{background:#1e2128!important;border-color:#31353f!important}.text{color:#e8eaee!important}.faint{color:#9aa3b2!important}}
@media (max-width:640px){.inner{padding:28px 20px!important}.outer{padding:20px!important}}`;

/**
 * Renders a letter. The HTML uses tables and inline styles, because Outlook and Gmail remove most others; every value is
 * escaped.
 */
export function renderLetter(letter: Letter): Pick<Content, 'subject' | 'text' | 'html'> {
  // A line break in a subject would be folded by the encoder; names of tenants may contain one.
  const subject = oneLine(letter.subject);
  return { subject, text: textOf(letter), html: htmlOf({ ...letter, subject }) };
}

function textOf({ title, paragraphs, button, notes = [], footer }: Letter): string {
  const parts = [title, ...paragraphs, ...(button ? [`${button.label}:\n${button.url}`] : []), ...notes];
  return `${parts.join('\n\n')}\n\n-- \n${footer.join('\n')}\n`;
}

function htmlOf({ subject, language, preview, title, paragraphs, button, notes = [], footer }: Letter): string {
  const paragraph = (text: string) =>
    `<p class="text" style="margin:0 0 16px;font:16px/1.55 ${font};color:${colors.text};${breakWords}">${paragraphHtml(text)}</p>`;
  const faint = (text: string) =>
    `<p class="faint" style="margin:0 0 6px;font:13px/1.5 ${font};color:${colors.faint};${breakWords}">${paragraphHtml(text)}</p>`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${rules}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${colors.page}">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(preview)}${'&#847;&zwnj;&nbsp;'.repeat(40)}</div>
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${colors.page}">
<tr><td align="center" style="padding:32px 12px">
<table class="card" role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;table-layout:fixed;background:${colors.card};border:1px solid ${colors.line};border-radius:12px">
<tr><td class="inner" style="padding:40px">
<h1 class="text" style="margin:0 0 20px;font:600 24px/1.3 ${font};color:${colors.text};${breakWords}">${escapeHtml(title)}</h1>
${paragraphs.map(paragraph).join('\n')}
${button ? buttonOf(button) : ''}
${notes.map(faint).join('\n')}
</td></tr>
</table>
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;table-layout:fixed">
<tr><td class="outer" align="center" style="padding:20px 40px">
${footer.map(faint).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

/** A cell with a background instead of a padded link, which Outlook shows without its padding. */
function buttonOf({ label, url, hint }: NonNullable<Letter['button']>): string {
  const link = escapeHtml(url);
  const before = hint === undefined ? '' : `${escapeHtml(hint)}<br>`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0">
<tr><td align="center" bgcolor="${colors.accent}" style="border-radius:8px;background:${colors.accent}"><a href="${link}" target="_blank" rel="noopener" style="display:inline-block;padding:13px 26px;font:600 16px/1.2 ${font};color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td></tr>
</table>
<p class="faint" style="margin:0 0 20px;font:13px/1.5 ${font};color:${colors.faint};${breakWords}">${before}<a class="faint" href="${link}" target="_blank" rel="noopener" style="color:${colors.faint};word-break:break-all">${link}</a></p>`;
}

function paragraphHtml(text: string): string {
  return escapeHtml(text).replace(/\r?\n/g, '<br>');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
