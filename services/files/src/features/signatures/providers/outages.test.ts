import { until } from '@tandem/testing';
import { failAllAttempts, runNow } from '../../../files.test-service.ts';
import { bytesOf, completed, getRequest } from '../signatures.test-service.ts';
import { startWithProviders } from './provider-requests.test-service.ts';

let started: Awaited<ReturnType<typeof startWithProviders>>;
beforeAll(async () => {
  started = await startWithProviders();
});
afterAll(() => started?.close());

it('a request that ended here is withdrawn after an outage of its provider, however long', async () => {
  const { service, providers, sendBy } = started;
  const { api, id } = await sendBy('documenso');
  providers.failsWith = 503;
  await api.cancelSignatureRequest({ params: { requestId: id }, body: {} });
  await failAllAttempts(service, api.caller, 'withdraw-signature-request');
  providers.failsWith = undefined;
  providers.received.length = 0;
  await runNow(service, api.caller, 'withdraw-signature-request');
  await until('it is withdrawn', () =>
    providers.received.some(({ method, path }) => method === 'DELETE' && path === '/api/v1/documents/10'),
  );
  expect((await getRequest(api, id)).status).toBe('cancelled');
});

it('a document that everybody signed before its request expired is fetched by a retry after an outage', async () => {
  const { service, providers, sendBy, passExpiry, tell } = started;
  const late = await sendBy('documenso');
  const { api, id, file, externalId } = late;
  const params = { requestId: id };
  await passExpiry(late);
  await until('it has expired', async () => (await getRequest(api, id)).status === 'expired');
  providers.failsWith = 503;
  await tell('documenso', externalId, 'completed');
  const next = `UPDATE platform.job SET due_at = now() WHERE name = 'fetch-signed-document' AND state = 'waiting'`;
  const failed = await until('the attempts are over', async () => {
    await service.sqlWithin(api.caller, next);
    const found = await getRequest(api, id);
    return found.problem !== null && found;
  });
  expect([failed.status, failed.problem]).toEqual(['expired', 'completion_failed']);
  providers.failsWith = undefined;
  expect((await api.retrySignatureRequest({ params })).data).toMatchObject({ status: 'expired', problem: null });
  await completed(api, id);
  expect((await bytesOf(service, api, file.id)).equals(providers.signed)).toBe(true);
});
