import { leadCreated } from '@tandem/crm-contract';
import { webhooks } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import {
  type Api,
  type Integrations,
  leadData,
  publish,
  queryAsOwner,
  receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const url = 'http://127.0.0.1:9/hook';

beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

everyOperation(webhooks, () => service as never);

const aWebhook = async (api: Api, body: object = {}) =>
  (await api.createWebhook({ body: { url, events: ['lead.created'], ...body } })).data;
const fieldsOf = (reply: { body: { errors?: { field: string }[] } }) => reply.body.errors?.map(({ field }) => field);

describe('createWebhook', () => {
  it('returns the secret once, and stores it encrypted', async () => {
    const api = service.as();
    const reply = await api.createWebhook({
      body: { url, events: ['lead.*', 'lead.*', 'task.created'], description: 'CRM', rateLimitPerSecond: 5 },
    });
    expect(reply.status).toBe(201);
    const { secret, ...webhook } = reply.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({
      url,
      events: ['lead.*', 'task.created'],
      active: true,
      description: 'CRM',
      environment: 'live',
      rateLimitPerSecond: 5,
      secretHint: secret.slice(-5, -1),
      disabledReason: null,
      disabledAt: null,
      failureSince: null,
      customHeaders: {},
      version: 1,
    });
    expect((await api.getWebhook({ params: { id: webhook.id } })).data).toEqual(webhook);
    expect((await api.listWebhooks()).data).toEqual([webhook]);
    const rows = await queryAsOwner(service, 'SELECT * FROM webhook WHERE id = $1', [webhook.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
    const event = await until('the creation is announced', () =>
      service.events.find(({ name, target }) => name === 'webhook.created' && String(target.id) === webhook.id),
    );
    expect(JSON.stringify(event)).not.toContain(secret.slice(6));
  });

  it('never returns the values of custom headers, and stores them encrypted', async () => {
    const api = service.as();
    const made = await aWebhook(api, { customHeaders: { Authorization: 'Bearer abcdef123456', 'X-Team': 'sales' } });
    expect(made.customHeaders).toEqual({ Authorization: '***', 'X-Team': '***' });
    const read = await api.getWebhook({ params: { id: made.id } });
    expect(JSON.stringify(read.body)).not.toContain('abcdef123456');
    expect(JSON.stringify(await queryAsOwner(service, 'SELECT * FROM webhook WHERE id = $1', [made.id]))).not.toContain(
      'abcdef123456',
    );
    expect(JSON.stringify(service.events)).not.toContain('abcdef123456');
  });

  it.each([
    ['no url', { url: undefined }, 'url'],
    ['a url with another protocol', { url: 'ftp://example.com/' }, 'url'],
    ['an invalid url', { url: 'example' }, 'url'],
    ['a url with credentials', { url: 'https://me:pass@example.com/' }, 'url'],
    ['a url that is too long', { url: `https://example.com/${'a'.repeat(2050)}` }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['lead.created', 'lead.exploded'] }, 'events.1'],
    ['an unknown resource', { events: ['leeds.*'] }, 'events.0'],
    ['a pattern in the middle', { events: ['*.created'] }, 'events.0'],
    ['a description that is too long', { description: 'x'.repeat(501) }, 'description'],
    ['a rate of zero', { rateLimitPerSecond: 0 }, 'rateLimitPerSecond'],
    ['a reserved header', { customHeaders: { 'Webhook-Signature': 'v1,x' } }, 'customHeaders.Webhook-Signature'],
    ['another reserved header', { customHeaders: { 'x-service-event': 'x' } }, 'customHeaders.x-service-event'],
    ['a hop-by-hop header', { customHeaders: { Connection: 'close' } }, 'customHeaders.Connection'],
    [
      'a message framing header',
      { customHeaders: { 'Transfer-Encoding': 'chunked' } },
      'customHeaders.Transfer-Encoding',
    ],
    ['a line break in a header', { customHeaders: { 'X-A': 'a\r\nHost: b' } }, 'customHeaders.X-A'],
    ['an invalid header name', { customHeaders: { 'X A': 'a' } }, 'customHeaders.X A'],
    [
      'too many headers',
      { customHeaders: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'a'])) },
      'customHeaders',
    ],
  ])('rejects %s, naming the field', async (_, body, field) => {
    const api = service.as();
    const reply = await api.createWebhook({ body: { url, events: ['lead.created'], ...body } });
    expect([reply.status, reply.body.message]).toEqual([422, 'Validation failed']);
    expect(fieldsOf(reply)).toEqual([field]);
    expect((await api.listWebhooks()).data).toEqual([]);
  });

  it('rejects the 21st webhook of an environment, even with concurrent requests', async () => {
    const api = service.as();
    const replies = await Promise.all(
      Array.from({ length: 24 }, () => api.createWebhook({ body: { url, events: ['*'] } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.createWebhook({ body: { url, events: ['*'] } })).status).toBe(201);
    await api.deleteWebhook({ params: { id: replies.find(({ status }) => status === 201)?.data.id } });
    expect((await api.createWebhook({ body: { url, events: ['*'] } })).status).toBe(201);
  });

  it('replays the first response for a repeated Idempotency-Key, including the secret', async () => {
    const api = service.as();
    const request = { body: { url, events: ['*'] }, headers: { 'idempotency-key': 'once' } };
    const [first, second] = [await api.createWebhook(request), await api.createWebhook(request)];
    expect(second.data).toEqual(first.data);
    expect((await api.listWebhooks()).data).toHaveLength(1);
  });
});

describe('updateWebhook', () => {
  it('changes the sent fields and increments the version', async () => {
    const api = service.as();
    const { secret, ...before } = await aWebhook(api);
    const reply = await api.updateWebhook({ params: { id: before.id }, body: { events: ['*'], description: 'new' } });
    expect(reply.data).toEqual({
      ...before,
      events: ['*'],
      description: 'new',
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(reply.headers.etag).toMatch(/^"2-/);
    const event = await until('the change is announced', () =>
      service.events.find(({ name, target }) => name === 'webhook.updated' && String(target.id) === before.id),
    );
    expect(event.changes).toEqual({
      events: { from: ['lead.created'], to: ['*'] },
      description: { from: null, to: 'new' },
    });
  });

  it('rejects a stale version, an unknown event and an invalid url, and changes nothing', async () => {
    const api = service.as();
    const { id } = await aWebhook(api);
    const stale = await api.updateWebhook({ params: { id }, body: { events: ['*'] }, headers: { 'if-match': '"7"' } });
    expect(stale.status).toBe(412);
    expect(
      fieldsOf(
        await api.updateWebhook({ params: { id }, body: { events: ['nothing'], url: 'https://a:b@example.com' } }),
      ),
    ).toEqual(['url', 'events.0']);
    expect((await api.getWebhook({ params: { id } })).data.version).toBe(1);
  });

  it('requires custom headers to be sent again or removed when the host changes', async () => {
    const api = service.as();
    const customHeaders = { Authorization: 'Bearer abcdef123456', 'X-Team': 'sales' };
    const { id } = await aWebhook(api, { customHeaders });
    const move = (to: string, more: object = {}) => api.updateWebhook({ params: { id }, body: { url: to, ...more } });
    for (const elsewhere of ['http://127.0.0.2:9/hook', 'http://127.0.0.1:10/hook', 'https://127.0.0.1:9/hook']) {
      const refused = await move(elsewhere);
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [{ field: 'customHeaders', message: expect.stringMatching(/send Authorization, X-Team again/) }],
      ]);
    }
    expect((await api.getWebhook({ params: { id } })).data).toMatchObject({ url, version: 1 });
    expect((await move('http://127.0.0.1:9/other')).data.customHeaders).toEqual({
      Authorization: '***',
      'X-Team': '***',
    });
    expect((await move('http://127.0.0.2:9/hook', { customHeaders })).status).toBe(200);
    expect((await move('http://127.0.0.3:9/hook', { customHeaders: {} })).data.customHeaders).toEqual({});
    expect((await move('http://127.0.0.4:9/hook')).status).toBe(200);
  });

  it('returns 404 for a webhook of another tenant or environment', async () => {
    const api = service.as();
    const { id } = await aWebhook(api);
    const otherCallers = [
      service.as(),
      service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' }),
    ];
    for (const otherCaller of otherCallers) {
      expect((await otherCaller.getWebhook({ params: { id } })).status).toBe(404);
      expect((await otherCaller.updateWebhook({ params: { id }, body: { active: false } })).status).toBe(404);
      expect((await otherCaller.deleteWebhook({ params: { id } })).status).toBe(404);
      expect((await otherCaller.rotateWebhookSecret({ params: { id } })).status).toBe(404);
      expect((await otherCaller.testWebhook({ params: { id } })).status).toBe(404);
      expect((await otherCaller.listDeliveries({ params: { id } })).status).toBe(404);
      expect(
        (await otherCaller.recoverWebhook({ params: { id }, body: { since: new Date().toISOString() } })).status,
      ).toBe(404);
    }
  });

  it('limits a caller with :own permissions to own webhooks', async () => {
    const owner = service.as();
    const { id } = await aWebhook(owner);
    const colleague = service.as({
      tenantId: owner.caller.tenantId as number,
      userId: 2,
      can: ['webhooks:read:own', 'webhooks:write:own'],
    });
    expect((await colleague.getWebhook({ params: { id } })).status).toBe(404);
    expect((await colleague.listWebhooks()).data).toEqual([]);
    expect((await colleague.listDeliveries({ params: { id } })).status).toBe(404);
    expect((await colleague.updateWebhook({ params: { id }, body: { active: false } })).status).toBe(404);
    const { data: job } = await owner.recoverWebhook({ params: { id }, body: { since: new Date().toISOString() } });
    expect((await owner.getJob({ params: { id: job.jobId } })).status).toBe(200);
    expect((await colleague.getJob({ params: { id: job.jobId } })).status).toBe(404);
  });
});

describe('deleteWebhook', () => {
  it('hides the webhook and stops its deliveries', async () => {
    const api = service.as();
    const hook = await receiver(200);
    const { id } = await aWebhook(api, { url: hook.url });
    expect((await api.deleteWebhook({ params: { id } })).data).toEqual({ id, deleted: true });
    for (const send of [api.getWebhook, api.deleteWebhook, api.testWebhook])
      expect((await send({ params: { id } })).status).toBe(404);
    await publish(service, leadCreated, api.caller, leadData());
    await until('the event is stored', async () => (await api.listEvents()).data.length === 1);
    expect(hook.requests).toHaveLength(0);
    await hook.close();
  });
});
