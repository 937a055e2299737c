import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallProvider, startCallProvider, until } from '@tandem/testing';
import { z } from 'zod';
import { TelephonyUnavailableError } from './driver.ts';
import { telephonySettings } from './settings.ts';
import { signatureOf } from './signature.ts';
import { createTwilioDriver } from './twilio-driver.ts';
import { twimlOf } from './twiml.ts';

let provider: CallProvider;
let reports: { url: string; form: string; signature: string }[];
beforeEach(async () => {
  reports = [];
  provider = await startCallProvider(async (url, form, headers) => {
    reports.push({ url, form, signature: headers['x-twilio-signature'] as string });
    return 200;
  });
});
afterEach(() => provider.close());

const to = '+491701234567';
const call = { to, twiml: twimlOf('Hello') as string, statusUrl: 'https://api.example.com/status/1' };
const driver = (changes = {}) => createTwilioDriver({ ...provider.settings, ...changes });
const callIdOf = async () => {
  const started = await driver().start(call);
  return started.outcome === 'started' ? started.callId : '';
};

it('starts a call with the script, limits and the address for reports', async () => {
  provider.script(to, 'held');
  const started = await driver().start(call);
  const [placed] = provider.calls;
  expect(started).toEqual({ outcome: 'started', callId: placed?.sid, status: 'queued' });
  expect(placed?.form.getAll('StatusCallbackEvent')).toEqual(['initiated', 'ringing', 'answered', 'completed']);
  expect(Object.fromEntries(placed?.form ?? [])).toMatchObject({
    To: to,
    From: provider.settings.TELEPHONY_FROM,
    Twiml: '<Response><Say>Hello</Say></Response>',
    StatusCallback: call.statusUrl,
    Timeout: '30',
    TimeLimit: '600',
  });
});

it.each([
  ['a number that is none', '12', undefined, 'refused'],
  ['credentials that the provider refuses', to, 401, 'postponed'],
  ['too many requests', to, 429, 'postponed'],
  ['a provider that is overloaded', to, 429, 'postponed'],
  ['a proxy whose server has failed', to, 503, 'uncertain'],
  ['a failure of which nobody knows whether there is a call', to, 502, 'uncertain'],
  ['a response that was lost', to, 'lost', 'uncertain'],
] as const)('tells apart %s', async (_, number, script, outcome) => {
  if (script) provider.script(number, script);
  expect(await driver().start({ ...call, to: number })).toMatchObject({ outcome });
});

it('postpones while nothing listens, and without settings', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await driver({ TELEPHONY_BASE_URL: `http://127.0.0.1:${port}` }).start(call)).toMatchObject({
    outcome: 'postponed',
  });
  const none = { TELEPHONY_ACCOUNT_SID: undefined, TELEPHONY_AUTH_TOKEN: undefined, TELEPHONY_FROM: undefined };
  const disabled = driver(none);
  expect([disabled.isEnabled, await disabled.start(call)]).toMatchObject([false, { outcome: 'postponed' }]);
});

it('refuses a part of its settings, which would disable calls without a word', () => {
  expect(() => driver({ TELEPHONY_FROM: undefined })).toThrow('must be set together');
});

it('sends nothing more for a while after five failures in a row', async () => {
  provider.down(503);
  const one = driver();
  const outcomes: string[] = [];
  for (let at = 0; at < 8; at++) outcomes.push((await one.start(call)).outcome);
  expect(outcomes).toEqual([...Array(5).fill('uncertain'), ...Array(3).fill('postponed')]);
  expect(provider.requests()).toBe(5);
  await expect(one.find('CA1')).rejects.toThrow(TelephonyUnavailableError);
});

it('finds calls by id and by number, and tells an unknown call from an unavailable provider', async () => {
  provider.script(to, 'busy');
  const callId = await callIdOf();
  await until('it is over', () => reports.length === 3);
  expect(await driver().find(callId)).toEqual({ status: 'busy', durationSeconds: 0 });
  expect(await driver().find('CA404')).toBeUndefined();
  expect(await driver().list(to)).toMatchObject([{ callId, status: 'busy', createdAt: expect.any(Date) }]);
  expect(await driver().list('+491700000000')).toEqual([]);
  provider.down(500);
  await expect(driver().find(callId)).rejects.toThrow(TelephonyUnavailableError);
  await expect(driver().list(to)).rejects.toThrow(TelephonyUnavailableError);
  await expect(driver().hangUp(callId)).rejects.toThrow(TelephonyUnavailableError);
});

it('hangs up, also a call that has ended or does not exist', async () => {
  provider.script(to, 'held');
  const callId = await callIdOf();
  for (const id of [callId, callId, 'CA404']) await driver().hangUp(id);
  expect(await driver().find(callId)).toEqual({ status: 'completed', durationSeconds: 0 });
});

describe('a report', () => {
  const read = ({ url, form, signature }: (typeof reports)[number]) =>
    driver().readReport(url, Buffer.from(form), signature);

  it('is read with its sequence and duration', async () => {
    const callId = await callIdOf();
    await until('it is over', () => reports.length === 4);
    expect(reports.map(read)).toEqual([
      { callId, status: 'initiated', durationSeconds: null, sequence: 0 },
      { callId, status: 'ringing', durationSeconds: null, sequence: 1 },
      { callId, status: 'in-progress', durationSeconds: null, sequence: 2 },
      { callId, status: 'completed', durationSeconds: 42, sequence: 3 },
    ]);
  });

  it('is forged if address, a parameter or the signature differ', async () => {
    provider.script(to, 'busy');
    await callIdOf();
    const report = await until('one arrives', () => reports[0]);
    for (const change of [
      { url: `${report.url}0` },
      { form: `${report.form}&CallStatus=busy` },
      { form: report.form.replace('initiated', 'busy') },
      { signature: '' },
      { signature: `${report.signature.slice(0, -2)}A=` },
    ])
      expect(read({ ...report, ...change })).toBe('forged');
  });

  it('agrees with the example of the documentation of Twilio', () => {
    const form = new URLSearchParams({
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675310',
      Digits: '1234',
      From: '+14158675310',
      To: '+18005551212',
    });
    expect(signatureOf('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', form)).toBe(
      'GvWf1cFY/Q7PnoempGyD5oXAezc=',
    );
  });

  it('that is none, or of an unknown status, is ignored', () => {
    const url = 'https://api.example.com/status/1';
    for (const fields of [{ MessageSid: 'SM1' }, { CallSid: 'CA1', CallStatus: 'dancing' }, { CallSid: "' OR 1" }]) {
      const form = new URLSearchParams(fields as Record<string, string>);
      const signature = signatureOf(provider.settings.TELEPHONY_AUTH_TOKEN, url, form);
      expect(driver().readReport(url, Buffer.from(String(form)), signature)).toBeUndefined();
    }
  });
});

describe('TwiML', () => {
  it('says the text, which cannot add verbs, and drops what XML does not permit', () => {
    const text = `</Say><Dial>+1 900</Dial> "A" & 'B'\u0000\ud800\n😀`;
    expect(twimlOf(text)).toBe(
      '<Response><Say>&lt;/Say&gt;&lt;Dial&gt;+1 900&lt;/Dial&gt; &quot;A&quot; &amp; &apos;B&apos;\n😀</Say></Response>',
    );
  });

  it('has at most 4,000 characters, escaped', () => {
    expect(twimlOf('a'.repeat(3_968))).toHaveLength(4_000);
    expect(twimlOf('a'.repeat(3_969))).toBeUndefined();
    expect(twimlOf('&'.repeat(1_000))).toBeUndefined();
  });
});

it('settings: a number with country code, and an address without a slash at its end', () => {
  const settings = z.object(telephonySettings);
  expect(settings.parse({ TELEPHONY_BASE_URL: 'http://127.0.0.1:1/' }).TELEPHONY_BASE_URL).toBe('http://127.0.0.1:1');
  expect(settings.parse({}).TELEPHONY_BASE_URL).toBe('https://api.twilio.com');
  for (const wrong of [{ TELEPHONY_FROM: '0170' }, { TELEPHONY_BASE_URL: 'ftp://x' }, { TELEPHONY_ACCOUNT_SID: 'a/b' }])
    expect(settings.safeParse(wrong).success).toBe(false);
});
