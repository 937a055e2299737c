import { createHmac } from 'node:crypto';
import type { TestFleet } from '@tandem/test-fleet';

/** The user agent of a mail program that a person uses. */
const person = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Mail/16.0';

type Mail = TestFleet['mailbox']['messages'][number];

/** The first mail to an address. */
export function firstMail({ mailbox }: TestFleet, address: string): Mail {
  const [mail] = mailbox.to(address);
  if (!mail) throw new Error(`${address} got no mail`);
  return mail;
}

/** The first link of a mail whose address contains a text: `/t/o/` opens the mail, `/t/c/` is a click. */
export function linkIn({ html }: Mail, part: string): string {
  const links = [...(html ?? '').matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) =>
    (url ?? '').replaceAll('&amp;', '&'),
  );
  const found = links.find((url) => url.includes(part));
  if (!found) throw new Error(`The mail has no link with ${part}`);
  return found;
}

/** Requests a link of a mail as a person, at the fleet instead of the address in the mail. */
export function visit({ baseUrl }: TestFleet, url: string, options: RequestInit = {}): Promise<Response> {
  const local = url.replace(/^https?:\/\/[^/]+/, baseUrl);
  return fetch(local, { redirect: 'manual', headers: { 'user-agent': person }, ...options });
}

/** The reply of a recipient arrives at the mail server of the platform, whose secret is INBOUND_MAIL_SECRET. */
export function replyTo(
  { baseUrl }: TestFleet,
  { from, mail, secret, headers = [] }: { from: string; mail: Mail; secret: string; headers?: string[] },
): Promise<Response> {
  const body = [
    `From: ${from}`,
    'To: no-reply@tandem.localhost',
    `Message-ID: <${crypto.randomUUID()}@example.com>`,
    `In-Reply-To: ${mail.headers['message-id']}`,
    ...headers,
    'Subject: Re: Welcome',
    '',
    'Thank you!',
  ].join('\r\n');
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return fetch(`${baseUrl}/v1/public/providers/email/events`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822', 'x-tandem-timestamp': time, 'x-tandem-signature': `v1=${signature}` },
    body,
  });
}
