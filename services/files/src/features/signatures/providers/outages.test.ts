import { until } from '@tandem/testing';
import { failAllAttempts, runNow } from '../../../files.test-service.ts';
import { getRequest } from '../signatures.test-service.ts';
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
