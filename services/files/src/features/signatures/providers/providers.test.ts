import { createHash } from 'node:crypto';
import { until } from '@tandem/testing';
import type { TestFiles } from '../../../files.test-service.ts';
import { ada, aPdf, bytesOf, completed, erase, getRequest, uploadPdf, zofia } from '../signatures.test-service.ts';
import { docusealEvent, startWithProviders } from './provider-requests.test-service.ts';
import { docusealSignature, type ProviderServer } from './providers.test-service.ts';

type Started = Awaited<ReturnType<typeof startWithProviders>>;

let started: Started;
let providers: ProviderServer;
let service: TestFiles;
let sendBy: Started['sendBy'];
let passExpiry: Started['passExpiry'];
let tell: Started['tell'];
beforeAll(async () => {
  started = await startWithProviders();
  ({ providers, service, sendBy, passExpiry, tell } = started);
});
afterAll(() => started?.close());

describe.each(['documenso', 'docuseal'] as const)('%s', (provider) => {
  it('gets the document, its people and fields, and its signed document becomes a version', async () => {
    const { api, file, id, externalId } = await sendBy(provider);
    const sent = providers.received.map(({ method, path }) => `${method} ${path}`);
    if (provider === 'documenso') {
      expect(sent).toEqual([
        'POST /api/v1/documents',
        'PUT /upload',
        'POST /api/v1/documents/10/fields',
        'POST /api/v1/documents/10/send',
      ]);
      const [created, upload, fields] = providers.received;
      expect(created?.headers.authorization).toBe('Bearer api_documenso');
      expect(JSON.parse(String(created?.body))).toMatchObject({
        externalId,
        recipients: [{ role: 'SIGNER' }, { role: 'APPROVER' }],
      });
      expect(upload?.body.toString('latin1', 0, 5)).toBe('%PDF-');
      expect(JSON.parse(String(fields?.body))).toMatchObject([
        { recipientId: 50, type: 'SIGNATURE', pageX: 10, pageY: 20 },
      ]);
    } else {
      expect(sent).toEqual([`GET /submitters?external_id=${externalId}&limit=1`, 'POST /submissions/pdf']);
      const body = JSON.parse(String(providers.received[1]?.body));
      expect(body.submitters).toMatchObject([{ email: ada.email, external_id: externalId }, { email: zofia.email }]);
      expect(Buffer.from(body.documents[0].file, 'base64').toString('latin1', 0, 5)).toBe('%PDF-');
      expect(body.documents[0].fields).toMatchObject([
        { type: 'signature', areas: [{ x: 0.1, y: 0.2, w: 0.3, h: 0.1, page: 1 }] },
      ]);
    }
    expect((await tell(provider, externalId, 'viewed')).data).toEqual({ received: true });
    expect((await tell(provider, externalId, 'viewed')).data).toEqual({ received: false });
    await tell(provider, externalId, 'signed');
    expect(await getRequest(api, id)).toMatchObject({
      status: 'in_progress',
      signers: [{ status: 'signed' }, { status: 'sent' }],
    });
    await tell(provider, externalId, 'completed');
    const done = await completed(api, id);
    const bytes = await bytesOf(service, api, file.id);
    expect([done.completedSha256, bytes.equals(providers.signed)]).toEqual([
      createHash('sha256').update(bytes).digest('hex'),
      true,
    ]);
  });

  it('ends a request that a person declines there, or that is cancelled here', async () => {
    const declined = await sendBy(provider);
    await tell(provider, declined.externalId, 'declined');
    expect(await getRequest(declined.api, declined.id)).toMatchObject({
      status: 'declined',
      signers: [{ declineReason: 'No' }, {}],
    });
    await tell(provider, declined.externalId, 'signed');
    expect((await getRequest(declined.api, declined.id)).status).toBe('declined');
    const cancelled = await sendBy(provider);
    const params = { requestId: cancelled.id };
    expect((await cancelled.api.remindSigners({ params, body: {} })).body.code).toBe('reminded_by_provider');
    await cancelled.api.cancelSignatureRequest({ params, body: {} });
    const path = provider === 'documenso' ? '/api/v1/documents/10' : '/submissions/77';
    await until('the provider was told', () =>
      providers.received.some((one) => one.method === 'DELETE' && one.path === path),
    );
  });

  it('ends a request that it cancels, and withdraws one that expires here', async () => {
    const cancelled = await sendBy(provider);
    await tell(provider, cancelled.externalId, 'cancelled');
    const params = { requestId: cancelled.id };
    expect((await getRequest(cancelled.api, cancelled.id)).status).toBe('cancelled');
    expect((await cancelled.api.retrySignatureRequest({ params })).body.code).toBe('no_problem');
    const late = await sendBy(provider);
    await passExpiry(late);
    await until('it is withdrawn', () => providers.received.some(({ method }) => method === 'DELETE'));
    expect((await getRequest(late.api, late.id)).status).toBe('expired');
  });

  it('whose event of the end is late is asked before a request expires, and keeps what everybody signed', async () => {
    const late = await sendBy(provider);
    providers.isCompleted = true;
    await passExpiry(late);
    const done = await completed(late.api, late.id);
    providers.isCompleted = false;
    expect(done.signers.map(({ status }: { status: string }) => status)).toEqual(['signed', 'signed']);
    expect((await bytesOf(service, late.api, late.file.id)).equals(providers.signed)).toBe(true);
    expect(providers.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect((await tell(provider, late.externalId, 'completed')).data).toEqual({ received: true });
    expect((await getRequest(late.api, late.id)).version).toBe(done.version);
  });

  it('that cannot be asked leaves a request open until it can', async () => {
    const late = await sendBy(provider);
    providers.failsWith = 503;
    providers.received.length = 0;
    await passExpiry(late);
    await until('it was asked', () => providers.received.length > 0);
    expect((await getRequest(late.api, late.id)).status).toBe('sent');
    providers.failsWith = undefined;
    await until('it has expired', async () => (await getRequest(late.api, late.id)).status === 'expired');
  });

  it('that reports the end of a request that has expired completes it, if it still has the document', async () => {
    const late = await sendBy(provider);
    await tell(provider, late.externalId, 'signed');
    await passExpiry(late);
    await until('it is withdrawn', () => providers.received.some(({ method }) => method === 'DELETE'));
    await tell(provider, late.externalId, 'completed');
    const done = await completed(late.api, late.id);
    expect(done.signers.map(({ status }: { status: string }) => status)).toEqual(['signed', 'signed']);
    expect((await bytesOf(service, late.api, late.file.id)).equals(providers.signed)).toBe(true);
  });

  it('that has no document for the end of an expired request leaves it expired', async () => {
    const late = await sendBy(provider);
    await passExpiry(late);
    await until('it has expired', async () => (await getRequest(late.api, late.id)).status === 'expired');
    providers.failsWith = 404;
    await tell(provider, late.externalId, 'completed');
    const attempts = `UPDATE platform.job SET due_at = now() WHERE name = 'fetch-signed-document' AND state = 'waiting'
      AND due_at > now()`;
    const typesOf = async (): Promise<string[]> => {
      const { text } = await late.api.getSignatureAuditTrail({ params: { requestId: late.id } });
      return JSON.parse(text).data.entries.map(({ type }: { type: string }) => type);
    };
    await until('the attempts are over', async () => {
      await service.sqlWithin(late.api.caller, attempts);
      return (await typesOf()).includes('completion_failed');
    });
    providers.failsWith = undefined;
    expect(await getRequest(late.api, late.id)).toMatchObject({ status: 'expired', problem: null });
  });

  it('that reports the end before the signatures leaves nobody unsigned, and another document changes nothing', async () => {
    const { api, id, externalId } = await sendBy(provider);
    expect((await tell(provider, externalId, 'completed', undefined, 12)).data).toEqual({ received: false });
    expect((await getRequest(api, id)).status).toBe('sent');
    await tell(provider, externalId, 'completed');
    const done = await completed(api, id);
    expect(done.signers.map(({ status }: { status: string }) => status)).toEqual(['signed', 'signed']);
    const { tenantId } = api.caller;
    const signed = () => service.events.filter((one) => one.tenantId === tenantId && one.name === 'signature.signed');
    await until('both events are there', () => signed().length === 2);
  });

  it('refuses events without its secret, and ignores those of other documents', async () => {
    const { externalId } = await sendBy(provider);
    const body = JSON.stringify(docusealEvent(externalId, 'signed'));
    const old = { 'x-docuseal-signature': docusealSignature(body, 1_700_000_000), 'x-documenso-secret': 'other' };
    for (const headers of [{}, old, { 'x-docuseal-signature': `${'1'.repeat(10)}.${'0'.repeat(64)}` }] as Record<
      string,
      string
    >[]) {
      const reply = await tell(provider, externalId, 'signed', headers);
      expect([reply.status, reply.body.code]).toEqual([401, 'invalid_signature']);
    }
    expect((await tell(provider, 'somebody-else', 'signed')).data).toEqual({ received: false });
    expect((await tell(provider, `live_${externalId.slice(5).split('').reverse().join('')}`, 'signed')).data).toEqual({
      received: false,
    });
  });
});

it('a provider that is down is called again', async () => {
  providers.failsWith = 503;
  const api = service.as();
  const file = await uploadPdf(api);
  const body = { provider: 'docuseal', signers: [ada] };
  const { data } = await api.createSignatureRequest({ params: { id: file.id }, body });
  providers.received.length = 0;
  await until('it was called', () => providers.received.length > 0);
  providers.failsWith = undefined;
  await until('it has the request', async () => (await getRequest(api, data.id)).signers[0].status === 'sent');
});

it('a document whose sending fails after it took effect is sent again, and not created again', async () => {
  providers.failsOnceAt = '/api/v1/documents/10/send';
  await sendBy('documenso');
  const calls = providers.received.map(({ method, path }) => `${method} ${path}`);
  expect(calls.filter((call) => call === 'POST /api/v1/documents')).toHaveLength(1);
  expect(calls.filter((call) => call.endsWith('/send'))).toHaveLength(2);
});

it('an attempt that lost its lease does not replace the document of the one that completed the request', async () => {
  const { api, file, id, externalId } = await sendBy('documenso');
  const storedOf = async () =>
    (await service.stored()).filter((path) => path.includes(`/${api.caller.tenantId}/`) && !path.includes('-preview-'));
  providers.holdsDownload = true;
  await tell('documenso', externalId, 'completed');
  const release = await until('the first attempt fetches the document', () => providers.release);
  const [first, second] = [providers.signed, await aPdf([0, 0])];
  providers.signed = second;
  const lost = `UPDATE platform.job SET state = 'waiting', due_at = now(), lease_until = NULL
    WHERE name = 'fetch-signed-document' AND payload->>'requestId' = $1`;
  await service.sqlWithin(api.caller, lost, [id]);
  const done = await completed(api, id);
  release();
  await until('the first attempt has stored its document', async () => (await storedOf()).length === 3);
  const bytes = await bytesOf(service, api, file.id);
  expect([bytes.equals(second), createHash('sha256').update(bytes).digest('hex')]).toEqual([
    true,
    done.completedSha256,
  ]);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'discard-object'`);
  await until('the document of the first attempt is removed', async () => (await storedOf()).length === 2);
  expect((await bytesOf(service, api, file.id)).equals(second)).toBe(true);
  providers.signed = first;
});

it('an erasure of the file withdraws its request and cancels it', async () => {
  const { api, file } = await sendBy('documenso');
  await service.sqlWithin(api.caller, `UPDATE file SET entity_type = 'lead', entity_id = 'oneLead' WHERE id = $1`, [
    file.id,
  ]);
  await erase(service, api, { leadCodes: ['oneLead'] });
  await until('it is withdrawn', () => providers.received.some(({ method }) => method === 'DELETE'));
  const { tenantId } = api.caller;
  await until('the event is there', () =>
    service.events.some((one) => one.tenantId === tenantId && one.name === 'signature.cancelled'),
  );
  expect((await api.getFile({ params: { id: file.id } })).status).toBe(404);
});

it.each([
  [{ reminderEveryDays: 2 }, 'reminderEveryDays'],
  [{ signers: [ada, { ...zofia, role: 'cc' }] }, 'signers'],
])('a provider is refused with %j, which it would ignore', async (more, field) => {
  const api = service.as();
  const file = await uploadPdf(api);
  const body = { provider: 'docuseal', signers: [ada], ...more };
  const { status, body: reply } = await api.createSignatureRequest({ params: { id: file.id }, body });
  expect([status, reply.errors?.[0]?.field]).toEqual([422, field]);
});

it('a provider is not used for the sandbox', async () => {
  const api = service.as({ environment: 'sandbox' });
  const file = await uploadPdf(api);
  const body = { provider: 'docuseal', signers: [ada] };
  const { status, body: reply } = await api.createSignatureRequest({ params: { id: file.id }, body });
  expect([status, reply.errors?.[0]?.field]).toEqual([422, 'provider']);
});
