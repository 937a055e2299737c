import { request } from 'node:http';
import { connect } from 'node:net';
import { until } from '@tandem/until';
import nodemailer, { type SendMailOptions, type Transporter } from 'nodemailer';
import { type Mailbox, startMailbox } from './mailbox.ts';

let mailbox: Mailbox;
beforeEach(async () => {
  mailbox = await startMailbox();
});
afterEach(async () => {
  for (const transport of transports.splice(0)) transport.close();
  await mailbox.close();
});

const transports: Transporter[] = [];

function sender() {
  const transport = nodemailer.createTransport({ url: mailbox.smtpUrl, pool: true } as object);
  transports.push(transport);
  return (fields: SendMailOptions = {}) =>
    transport.sendMail({
      from: 'Tandem <no-reply@example.com>',
      to: 'ada@example.com',
      subject: 'Hello',
      text: 'The text',
      ...fields,
    });
}

const page = (path: string) => fetch(`${mailbox.webUrl}${path}`);

it('keeps a message as a mail client would show it', async () => {
  await sender()({
    to: 'Ada@Example.com',
    subject: 'Grüße',
    html: '<p>The HTML</p>',
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  expect(mailbox.to('ada@example.com')).toMatchObject([
    {
      number: 1,
      from: '"Tandem" <no-reply@example.com>',
      subject: 'Grüße',
      text: 'The text',
      html: '<p>The HTML</p>',
      headers: { 'auto-submitted': 'auto-generated' },
    },
  ]);
  expect(mailbox.to('grace@example.com')).toEqual([]);
});

it('lists messages and shows each, as a page and as JSON', async () => {
  const send = sender();
  await send({ subject: 'The first <b>' });
  await send({ subject: 'The second', html: '<p>The HTML</p>' });
  const list = await (await page('/')).text();
  expect(list.indexOf('The second')).toBeLessThan(list.indexOf('The first &#60;b&#62;'));
  expect(list).not.toContain('<b>');
  const shown = await (await page('/messages/2')).text();
  expect(shown).toContain('The second');
  expect(shown).toContain('src="/messages/2/html"');
  expect(shown).toContain('The text');
  const all = (await (await page('/messages.json')).json()) as { number: number; subject: string }[];
  expect(all.map(({ number, subject }) => [number, subject])).toEqual([
    [1, 'The first <b>'],
    [2, 'The second'],
  ]);
  expect((await page('/messages/3')).status).toBe(404);
});

it('fits the screen of a phone, follows its color scheme, and shows times in UTC', async () => {
  await sender()({ to: `${'long'.repeat(15)}@example.com` });
  const received = mailbox.messages[0]?.receivedAt.toISOString() as string;
  for (const path of ['/', '/messages/1']) {
    const shown = await (await page(path)).text();
    expect(shown).toContain(`${received.slice(0, 10)} ${received.slice(11, 19)} UTC`);
    expect(shown).toMatch(/body \{[^}]*overflow-wrap: anywhere/);
    expect(shown).toContain('color-scheme: light dark');
    expect(shown).toContain('@media (prefers-color-scheme: dark)');
  }
});

it('shows HTML without scripts and without content from elsewhere', async () => {
  const html = '<script>alert(1)</script><img src="https://example.com/pixel.png"><p>Hi</p>';
  await sender()({ html });
  const shown = await page('/messages/1/html');
  const policy = shown.headers.get('content-security-policy') ?? '';
  const directives = Object.fromEntries(policy.split('; ').map((part) => part.split(/ (.*)/).slice(0, 2)));
  expect(directives).toMatchObject({ 'default-src': "'none'", 'img-src': 'data:' });
  expect(directives).not.toHaveProperty('script-src');
  expect(directives.sandbox.split(' ')).not.toContain('allow-scripts');
  expect(directives.sandbox.split(' ')).not.toContain('allow-same-origin');
  expect(await shown.text()).toBe(html);
  // The page around it contains the message only as text and as a frame.
  const outer = await page('/messages/1');
  expect(outer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await outer.text()).not.toContain('<script>');
});

it('keeps the newest 500 messages', async () => {
  const send = sender();
  for (let from = 0; from < 502; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, 502 - from) }, (_, at) => send({ subject: `${from + at}` })));
  expect(mailbox.messages).toHaveLength(500);
  expect(mailbox.messages[0]?.number).toBe(3);
  expect((await page('/messages/1')).status).toBe(404);
  expect((await page('/messages/502')).status).toBe(200);
});

it('rejects recipients as configured', async () => {
  const send = sender();
  mailbox.refuse('ada@example.com', 550);
  await expect(send()).rejects.toMatchObject({ responseCode: 550 });
  mailbox.refuse('ada@example.com', undefined);
  await send();
  expect(mailbox.messages).toHaveLength(1);
});

it('holds back its answer until it is released', async () => {
  const held = mailbox.hold('ada@example.com');
  const sent = sender()();
  await until('the recipient waits', () => held.waiting() === 1);
  await sender()({ to: 'grace@example.com' });
  expect(mailbox.messages.map(({ to }) => to)).toEqual([['grace@example.com']]);
  held.release();
  await sent;
  expect(mailbox.to('ada@example.com')).toHaveLength(1);
});

it.each(['smtpUrl', 'webUrl'] as const)('listens on the loopback address only: %s', async (name) => {
  const { port } = new URL(mailbox[name]);
  // Another address of this machine, which a server on all addresses would accept.
  const refused = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host: '127.0.0.2', port: Number(port) });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    socket.once('connect', () => resolve(undefined));
  });
  expect(refused).toBe('ECONNREFUSED');
});

it('shows nothing to a web site that resolves its own name to this machine', async () => {
  await sender()();
  const { port } = new URL(mailbox.webUrl);
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path: '/messages.json', headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.once('error', reject).end();
    });
  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor(`evil.example.com:${port}`)).toBe(404);
});

it('accepts SMS as Twilio does, and lists them', async () => {
  const { origin } = new URL(mailbox.smsUrl);
  const send = (fields: Record<string, string>, account = 'AC1') =>
    fetch(`${origin}/2010-04-01/Accounts/${account}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('AC1:token')}` },
      body: new URLSearchParams(fields),
    });
  const sent = await send({ To: '+491701234567', From: '+15005550006', Body: 'Hello <b>' });
  expect([sent.status, await sent.json()]).toEqual([201, expect.objectContaining({ sid: mailbox.sms[0]?.sid })]);
  const list = await (await page('/')).text();
  expect(list).toContain('Hello &#60;b&#62;');
  expect(await (await page('/sms.json')).json()).toMatchObject([{ to: '+491701234567', text: 'Hello <b>' }]);
  const wrong = await send({ To: '0170', Body: 'Hello' });
  expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ code: 21211 })]);
  expect((await send({ To: '+491701234567', Body: 'Hello' }, 'AC2')).status).toBe(401);
});
