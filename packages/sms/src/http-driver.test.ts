import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { z } from 'zod';
import { createHttpDriver } from './http-driver.ts';
import { smsSettings } from './settings.ts';

let mailbox: Mailbox;
beforeEach(async () => {
  mailbox = await startMailbox();
});
afterEach(() => mailbox.close());

const from = '+15005550006';
const driver = (url = mailbox.smsUrl) => createHttpDriver({ SMS_URL: url, SMS_FROM: from });
const message = { to: '+491701234567', text: 'Grüße & 50 % off' };

it('sends the text to the account of the URL, and returns the id of the provider', async () => {
  const statusUrl = 'https://api.example.com/reports?message=1';
  const attempt = await driver().send({ ...message, statusUrl });
  const [received] = mailbox.sms;
  expect(received).toMatchObject({ ...message, statusUrl, from, account: 'ACmailbox' });
  expect(attempt).toEqual({ outcome: 'sent', response: received?.sid });
});

it('reports a number that the provider does not accept as refused', async () => {
  expect(await driver().send({ ...message, to: '12' })).toMatchObject({
    outcome: 'refused',
    error: expect.stringContaining('21211'),
  });
  mailbox.refuseSms(message.to, { status: 400, code: 21610 });
  expect((await driver().send(message)).outcome).toBe('refused');
});

it.each([{ status: 429, code: 20429 }, { status: 503 }, { status: 401, code: 20003 }, { status: 400, code: 21606 }])(
  'postpones after %o, which says nothing about the message',
  async (fault) => {
    mailbox.refuseSms(message.to, fault);
    const attempt = await driver().send(message);
    expect(attempt).toMatchObject({ outcome: 'postponed' });
    expect(attempt).not.toHaveProperty('isUncertain');
  },
);

it('postpones when the provider cannot be reached', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const attempt = await driver(`http://AC1:token@127.0.0.1:${port}`).send(message);
  expect(attempt).toMatchObject({ outcome: 'postponed' });
  expect(attempt).not.toHaveProperty('isUncertain');
});

it('reports a connection that broke after the request as uncertain', async () => {
  mailbox.refuseSms(message.to, 'broken');
  expect(await driver().send(message)).toMatchObject({ outcome: 'postponed', isUncertain: true });
});

it('sends nothing without a provider or a sender', async () => {
  expect(createHttpDriver({}).isEnabled).toBe(false);
  expect(createHttpDriver({ SMS_URL: mailbox.smsUrl }).isEnabled).toBe(false);
});

it('accepts a URL only with account and token, and a sender as Twilio has them', () => {
  const settings = z.object(smsSettings);
  const isValid = (input: object) => settings.safeParse(input).success;
  expect(isValid({ SMS_URL: 'https://AC1:token@api.twilio.com', SMS_FROM: 'Tandem' })).toBe(true);
  expect(isValid({ SMS_FROM: `MG${'a'.repeat(32)}` })).toBe(true);
  expect(isValid({ SMS_URL: 'https://api.twilio.com' })).toBe(false);
  expect(isValid({ SMS_FROM: 'a name that is too long' })).toBe(false);
});
