import { until } from '@tandem/testing';
import { type Api, held, type Integrations, receiver, startIntegrations } from '../../testing.ts';

let service: Integrations;
const url = 'http://127.0.0.1:9/hook';
const missing = '999999999';

beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

const aWebhook = async (api: Api, body: object = {}) =>
  (await api.createWebhook({ body: { url, events: ['lead.created'], ...body } })).data;
const fieldsOf = (reply: { body: { errors?: { field: string }[] } }) => reply.body.errors?.map(({ field }) => field);

describe('getWebhookCatalog', () => {
  it('lists the events of the six groups, each with an example envelope', async () => {
    const { status, data } = await service.as().getWebhookCatalog();
    expect(status).toBe(200);
    expect(
      Object.fromEntries(
        Object.entries(data).map(([group, items]) => [group, (items as { event: string }[]).map(({ event }) => event)]),
      ),
    ).toEqual({
      leads: ['lead.created', 'lead.updated', 'lead.deleted', 'lead.restored'],
      opportunities: ['opportunity.created', 'opportunity.stage_changed', 'opportunity.won', 'opportunity.lost'],
      partners: ['partner.registered', 'partner.approved'],
      commissions: ['commission.earned', 'commission.paid'],
      tasks: ['task.created', 'task.completed'],
      forms: ['form.submitted'],
    });
    expect(Object.keys(data)).toEqual(['leads', 'opportunities', 'partners', 'commissions', 'tasks', 'forms']);
    expect(data.leads[0]).toEqual({
      event: 'lead.created',
      description: 'A new lead is created',
      schemaVersion: expect.any(Number),
      examplePayload: {
        id: expect.stringMatching(/^[A-Za-z0-9]{16,17}$/),
        type: 'lead.created',
        createdAt: expect.stringMatching(/^2026-.*Z$/),
        data: {
          leadId: expect.stringMatching(/^[A-Za-z0-9]{16,17}$/),
          email: 'ada@example.com',
          source: 'web',
          sequence: 4711,
        },
      },
    });
    expect((await service.as().getWebhookCatalog({ query: { include: 'all' } })).data).toMatchObject(data);
    expect((await service.as().getWebhookCatalog({ query: { include: 'some' } })).status).toBe(422);
  });
});

describe('testWebhook', () => {
  it('sends the example once, marked as a test, and returns the result', async () => {
    const api = service.as();
    const hook = await receiver((_, response) => response.writeHead(202).end('got it'));
    const { id } = await aWebhook(api, { url: hook.url, events: ['task.*'], customHeaders: { 'X-Team': 'sales' } });
    const { status, data } = await api.testWebhook({ params: { id } });
    expect([status, data]).toEqual([
      200,
      {
        event: 'task.created',
        succeeded: true,
        matchesFilter: null,
        statusCode: 202,
        durationMs: expect.any(Number),
        error: null,
        responseBody: 'got it',
      },
    ]);
    expect(hook.requests).toHaveLength(1);
    expect(hook.requests[0]?.headers).toMatchObject({
      'x-service-test': 'true',
      'x-service-event': 'task.created',
      'x-team': 'sales',
    });
    const catalog = (await api.getWebhookCatalog()).data;
    const sent = JSON.parse(String(hook.requests[0]?.body));
    expect(sent).toEqual({ ...catalog.tasks[0].examplePayload, id: expect.stringMatching(/^[0-9A-Za-z]{16}$/) });
    expect(hook.requests[0]?.headers['webhook-id']).toBe(sent.id);
    await api.testWebhook({ params: { id } });
    expect(hook.requests[1]?.headers['webhook-id']).not.toBe(sent.id);
    expect((await api.listDeliveries({ params: { id } })).data).toEqual([]);
    await hook.close();
  });

  it('does not send again for a repeated Idempotency-Key', async () => {
    const api = service.as();
    const hook = await receiver((_, response) => response.writeHead(200).end(`answer ${hook.requests.length}`));
    const { id } = await aWebhook(api, { url: hook.url });
    const test = () => api.testWebhook({ params: { id }, headers: { 'idempotency-key': 'once' } });
    const [first, again] = [await test(), await test()];
    expect(again.data).toEqual(first.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(hook.requests).toHaveLength(1);
    await hook.close();
  });

  it('returns errors of the receiver, and rejects unknown events', async () => {
    const api = service.as();
    const { id } = await aWebhook(api);
    const { body } = await api.testWebhook({ params: { id }, body: { event: 'lead.updated' } });
    expect(body).toMatchObject({
      message: 'Test not delivered; see error for the reason',
      data: { succeeded: false, statusCode: null, error: 'connect' },
    });
    for (const event of ['*', 'lead.*', 'nothing'])
      expect(fieldsOf(await api.testWebhook({ params: { id }, body: { event } }))).toEqual(['event']);
    expect((await api.testWebhook({ params: { id: missing } })).status).toBe(404);
  });
});

it('limits concurrent tests per tenant, so that a hanging receiver does not block other tenants', async () => {
  const { answer, release } = held();
  const hook = await receiver(answer);
  const [api, other] = [service.as(), service.as()];
  const params = { id: (await aWebhook(api, { url: hook.url })).id };
  const refused: Awaited<ReturnType<Api['testWebhook']>>[] = [];
  const sent = Array.from({ length: 10 }, () =>
    api.testWebhook({ params }).then((reply) => {
      if (reply.status !== 200) refused.push(reply);
      return reply.status;
    }),
  );
  await until('three run and the others are refused', () => hook.requests.length === 3 && refused.length === 7);
  for (const { status, body, headers } of refused)
    expect([status, body.code, Number(headers['retry-after']) > 0]).toEqual([429, 'too_many_tests', true]);
  expect((await other.testWebhook({ params: { id: (await aWebhook(other)).id } })).status).toBe(200);
  release();
  expect((await Promise.all(sent)).filter((status) => status === 200)).toHaveLength(3);
  await hook.close();
});

describe('rotateWebhookSecret', () => {
  it('accepts a secret from the caller, and rejects an invalid one', async () => {
    const api = service.as();
    const { id } = await aWebhook(api);
    const own = Buffer.alloc(24, 7).toString('base64');
    const { status, data } = await api.rotateWebhookSecret({ params: { id }, body: { secret: own, graceSeconds: 0 } });
    expect([status, data]).toEqual([200, { id, secret: `whsec_${own}`, previousSecretExpiresAt: null }]);
    const bad = [
      'short',
      Buffer.alloc(23).toString('base64'),
      Buffer.alloc(65).toString('base64'),
      'not base64 !'.repeat(4),
    ];
    for (const secret of bad)
      expect(fieldsOf(await api.rotateWebhookSecret({ params: { id }, body: { secret } }))).toEqual(['secret']);
    for (const graceSeconds of [-1, 604_801, 1.5])
      expect(fieldsOf(await api.rotateWebhookSecret({ params: { id }, body: { graceSeconds } }))).toEqual([
        'graceSeconds',
      ]);
    const narrow = service.as({ tenantId: api.caller.tenantId as number, can: ['webhooks:write'] });
    expect((await narrow.rotateWebhookSecret({ params: { id } })).status).toBe(403);
  });
});
