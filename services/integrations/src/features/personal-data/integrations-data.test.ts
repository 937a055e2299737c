import { internalApiCalls, lineOfCall } from '@tandem/integrations-contract';
import { aPerson, publish, until } from '@tandem/testing';
import { type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

const leadCode = 'khzasVT5ZxaVtyRs';
const person = aPerson({ emails: ['ada@example.com'], phones: ['+491701234567'], leadCodes: [leadCode] });

it('removes an erased person from the API log and from filters of webhooks', async () => {
  const api = service.as();
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' | 'sandbox' };
  const frame = (requestId: string, path: string, query: string | null, body: string) =>
    `${lineOfCall({
      ...{ tenantId, environment, at: Date.now(), sequence: 0, requestId, method: 'GET', path, route: path, query },
      ...{ status: 200, durationMs: 1, ip: '203.0.113.7', keyId: 9, userId: 5, errorCode: null, request: null },
      response: { length: body.length, bytes: body.length },
    })}\n${body}`;
  const batch = [
    frame('req_by_address', '/v1/leads', null, '{"data":[{"email":"Ada@example.com"}]}'),
    frame('req_by_query', '/v1/leads', 'search=Lovelace ada@example.com', '{"data":[]}'),
    frame('req_by_path', `/v1/leads/${leadCode}`, null, '{"data":{"firstName":"Ada"}}'),
    frame('req_of_other', '/v1/leads', 'limit=20', '{"data":[{"email":"pada@example.com"}]}'),
  ];
  await service.send(
    internalApiCalls.recordApiCalls,
    { raw: { content: batch.join(''), type: 'application/octet-stream' } },
    { type: 'system', name: 'gateway', environment: 'live', permissions: [], requestId: 'gateway' },
  );
  const aWebhook = async (email: string) => {
    const filter = { '==': [{ var: 'data.email' }, email] };
    return (await api.createWebhook({ body: { url: 'http://127.0.0.1:9/', events: ['lead.created'], filter } })).data;
  };
  const [named, other] = [await aWebhook('ada@example.com'), await aWebhook('grace@example.com')];

  await publish({ service: service as never, tenantId }, 'personal_data.erasure_requested', {
    target: { type: 'erasure', id: 1 },
    data: { person, services: ['integrations'] },
    record: { id: '1' },
  });
  const report = await until('integrations has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    return service.events.find(({ name }) => name === 'personal_data.erased');
  });
  expect(report.data).toMatchObject({ erased: { apiCalls: 3, webhookFilters: 1 } });
  const shown = async (requestId: string) => (await api.getApiLog({ params: { requestId } })).data;
  for (const requestId of ['req_by_address', 'req_by_query', 'req_by_path'])
    expect(await shown(requestId)).toMatchObject({ status: 200, query: null, responseBody: null });
  expect(await shown('req_of_other')).toMatchObject({ query: 'limit=20', responseBody: expect.any(String) });
  const webhook = async ({ id }: { id: string }) => (await api.getWebhook({ params: { id } })).data;
  expect(await webhook(named)).toMatchObject({ filter: null, active: false });
  expect(await webhook(other)).toMatchObject({ filter: expect.anything(), active: true });
  for (const table of ['api_log', 'webhook'])
    expect(JSON.stringify(await service.sqlWithin(api.caller, `SELECT * FROM ${table}`))).not.toMatch(/\bada@/i);
});
