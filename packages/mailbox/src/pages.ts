import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReceivedMail } from './received-mail.ts';
import type { ReceivedSms } from './sms.ts';

// `anywhere` lets the columns of the table become narrower than an address on the screen of a phone.
const style = `
:root { color-scheme: light dark; --ink: #1f2430; --soft: #667085; --paper: #fff; --ground: #f4f5f7; --line: #e4e7ec; --deep: #2f55d4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #9aa3b2; --paper: #1e2128; --ground: #14161b; --line: #31353f; --deep: #8aa4ff; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.3rem; }
table { width: 100%; border-collapse: collapse; background: var(--paper); border-radius: 8px; }
td, th { padding: .6rem .8rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
a { color: var(--deep); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); border-radius: 8px; background: #fff; }
pre { padding: 1rem; background: var(--paper); border-radius: 8px; white-space: pre-wrap; }
@media (max-width: 40rem) { main { padding: 1rem; } td, th { padding: .5rem; } }
`;
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'";
// Messages run no script and load nothing; links open in a tab of their own.
const messagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox";

interface Page {
  type: 'text/html' | 'application/json';
  policy: string;
  body: string;
}

interface Received {
  mails: readonly ReceivedMail[];
  sms: readonly ReceivedSms[];
}

/**
 * Serves the list of messages, each mail, its HTML, and all mails and all SMS as JSON. Any other Host than the loopback address
 * is refused: a web site that resolves its own name to this machine must not read messages.
 */
export function answerBrowser(request: IncomingMessage, response: ServerResponse, received: Received): void {
  const isOurs = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  const page = isOurs && request.method === 'GET' ? pageAt(request.url ?? '/', received) : undefined;
  response.writeHead(page ? 200 : 404, {
    'Content-Type': `${page?.type ?? 'text/html'}; charset=utf-8`,
    'Content-Security-Policy': page?.policy ?? pagePolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
  response.end(page?.body ?? 'Not found');
}

function pageAt(url: string, { mails, sms }: Received): Page | undefined {
  if (url === '/') return { type: 'text/html', policy: pagePolicy, body: listPage(mails, sms) };
  if (url === '/messages.json') return { type: 'application/json', policy: pagePolicy, body: JSON.stringify(mails) };
  if (url === '/sms.json') return { type: 'application/json', policy: pagePolicy, body: JSON.stringify(sms) };
  const [, number, part] = /^\/messages\/(\d+)(\/html)?$/.exec(url) ?? [];
  const mail = mails.find((one) => one.number === Number(number));
  if (!mail) return undefined;
  if (!part) return { type: 'text/html', policy: pagePolicy, body: messagePage(mail) };
  return { type: 'text/html', policy: messagePolicy, body: mail.html };
}

function listPage(mails: readonly ReceivedMail[], sms: readonly ReceivedSms[]): string {
  const rows = mails
    .toReversed()
    .map(
      ({ number, subject, to, receivedAt }) =>
        `<tr><td><a href="/messages/${number}">${escapeHtml(subject || '(no subject)')}</a></td><td>${escapeHtml(to.join(', '))}</td><td>${timeOf(receivedAt)}</td></tr>`,
    );
  const table = rows.length
    ? `<table><tr><th>Subject</th><th>To</th><th>Received</th></tr>${rows.join('\n')}</table>`
    : '<p>No messages yet. What the platform sends arrives here instead of its recipients.</p>';
  return page('Mailbox', `<h1>Mailbox</h1>${table}${smsTable(sms)}`, '<meta http-equiv="refresh" content="5">');
}

function smsTable(sms: readonly ReceivedSms[]): string {
  if (!sms.length) return '';
  const rows = sms
    .toReversed()
    .map(
      ({ text, to, receivedAt }) =>
        `<tr><td>${escapeHtml(text)}</td><td>${escapeHtml(to)}</td><td>${timeOf(receivedAt)}</td></tr>`,
    );
  return `<h2>SMS</h2><table><tr><th>Text</th><th>To</th><th>Received</th></tr>${rows.join('\n')}</table>`;
}

function messagePage({ number, subject, from, to, receivedAt, html, text }: ReceivedMail): string {
  const fields = [
    ['From', from],
    ['To', to.join(', ')],
    ['Received', timeOf(receivedAt)],
  ] as const;
  const list = fields.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('');
  const shown = html ? `<iframe src="/messages/${number}/html" title="The message"></iframe>` : '';
  return page(
    subject,
    `<p><a href="/">All messages</a></p><h1>${escapeHtml(subject)}</h1><dl>${list}</dl>${shown}<h2>Plain text</h2><pre>${escapeHtml(text)}</pre>`,
  );
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>${body}</main></body>
</html>
`;
}

function timeOf(date: Date): string {
  return `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
