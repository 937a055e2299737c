import { leadCreated, taskCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  type Api,
  aWebhook,
  closingReceivers,
  deliveryAt,
  emitted,
  type Integrations,
  inStatus,
  leadData,
  publish,
  queryAsOwner,
  type Receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const receiver = closingReceivers();
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

let users = 100;

/** A user of a tenant with these permissions in both role and credential. */
function aUser(permissions: string[], tenantId?: number): Api {
  const userId = ++users;
  service.permissions.set(userId, permissions);
  return service.as({ userId, can: permissions, ...(tenantId !== undefined && { tenantId }) });
}

/** A key with its own permissions that acts on behalf of a user. */
function aKeyOf(user: Api, can: string[]): Api {
  const { tenantId, userId } = user.caller as { tenantId: number; userId: number };
  return service.as({ tenantId, userId: ++users, onBehalfOf: userId, can });
}

/** Publishes a lead and a task for a receiver that may get only tasks; returns the received event types. */
async function typesReceived(api: Api, id: string, { requests }: Receiver): Promise<string[]> {
  await publish(service, leadCreated, api.caller, leadData());
  const skipped = await inStatus(api, id, 'skipped');
  expect(skipped).toMatchObject({ event: 'lead.created', lastError: 'not_permitted' });
  await publish(service, taskCreated, api.caller, taskData);
  await inStatus(api, id, 'succeeded', 1);
  return requests.map(({ body }) => JSON.parse(body.toString()).type);
}

const webhooks = ['webhooks:read', 'webhooks:write'];
const taskData = { taskId: '7', title: 'Call Ada back', assigneeId: null };
const fieldsOf = (reply: { status: number; body: { errors?: { field: string }[] } }) => [
  reply.status,
  reply.body.errors?.map(({ field }) => field),
];

describe('registering a webhook', () => {
  it.each([
    [['leads:read'], ['lead.created', 'lead.*'], undefined],
    [['leads:read'], ['lead.*', 'task.*', 'task.created'], ['events.1', 'events.2']],
    [['leads:read:own'], ['lead.*'], ['events.0']],
    [['leads:read:team'], ['lead.created'], ['events.0']],
    [[], ['*'], ['events.0']],
    [['tasks:read'], ['*'], undefined],
    [['webhooks:read:own'], ['webhook.*'], undefined],
  ])('with %j for %j requires unrestricted read access to the records of the events', async (can, events, refused) => {
    const user = aUser([...webhooks, ...can]);
    const reply = await user.createWebhook({ body: { url: 'http://127.0.0.1:9/', events } });
    expect(fieldsOf(reply)).toEqual([refused ? 403 : 201, refused]);
  });

  it('checks the permissions of the caller again when url, events or active are set', async () => {
    const owner = aUser(['*']);
    const id = await aWebhook(owner, 'http://127.0.0.1:9/', { events: ['lead.*'] });
    const other = aUser([...webhooks, 'leads:read:own'], owner.caller.tenantId);
    const change = async (user: Api, body: object) => (await user.updateWebhook({ params: { id }, body })).status;
    expect(await change(other, { url: 'http://127.0.0.1:10/' })).toBe(403);
    expect(await change(other, { events: ['lead.created'] })).toBe(403);
    expect(await change(other, { active: true })).toBe(403);
    expect(await change(other, { description: 'Ours', active: false })).toBe(200);
    const reader = aUser([...webhooks, 'leads:read'], owner.caller.tenantId);
    expect(await change(reader, { active: true })).toBe(200);
    const { data } = await owner.getWebhook({ params: { id } });
    expect([data.createdBy, data.authorizedBy]).toEqual([owner, reader].map(({ caller }) => String(caller.userId)));
  });
});

describe('deliveries', () => {
  it('are skipped while the user who authorized the webhook may not read the records', async () => {
    const { url, requests } = await receiver();
    const user = aUser([...webhooks, 'leads:read', 'tasks:read']);
    const id = await aWebhook(user, url, { events: ['lead.*', 'task.*'] });
    service.permissions.set(user.caller.userId as number, [...webhooks, 'leads:read:own', 'tasks:read']);
    await publish(service, leadCreated, user.caller, leadData());
    const skipped = await inStatus(user, id, 'skipped');
    expect(skipped.lastError).toBe('not_permitted');
    await publish(service, taskCreated, user.caller, taskData);
    await inStatus(user, id, 'succeeded', 1);
    expect(requests.map(({ body }) => JSON.parse(body.toString()).type)).toEqual(['task.created']);
  });

  it('resume once a user who may read the records enables the webhook', async () => {
    const { url, requests } = await receiver();
    const user = aUser([...webhooks, 'leads:read']);
    const id = await aWebhook(user, url, { events: ['lead.*'] });
    service.permissions.set(user.caller.userId as number, []);
    const admin = aUser(['*'], user.caller.tenantId);
    await publish(service, leadCreated, user.caller, leadData());
    await inStatus(admin, id, 'skipped');
    await admin.updateWebhook({ params: { id }, body: { active: true } });
    await admin.recoverWebhook({ params: { id }, body: { since: new Date(Date.now() - 60_000).toISOString() } });
    await until('the event arrives', () => requests.length === 1);
  });

  it('are limited by the permissions of the registering key, even if its user has more', async () => {
    const owner = aUser(['*']);
    const key = aKeyOf(owner, [...webhooks, 'tasks:read']);
    const hook = await receiver();
    const id = await aWebhook(key, hook.url);
    expect(await typesReceived(owner, id, hook)).toEqual(['task.created']);
  });

  it('are limited by the permissions of the registering user, even if the key has more', async () => {
    const user = aUser([...webhooks, 'tasks:read']);
    const hook = await receiver();
    const id = await aWebhook(aKeyOf(user, ['*']), hook.url);
    expect(await typesReceived(aUser(['*'], user.caller.tenantId), id, hook)).toEqual(['task.created']);
  });

  it.each([
    ['the address', (url: string) => ({ url })],
    ['the events', () => ({ events: ['*', 'task.*'] })],
    ['active', () => ({ active: true })],
  ])('are limited by the key that last set %s, even on behalf of the same user', async (_, change) => {
    const owner = aUser(['*']);
    const [first, second] = [await receiver(), await receiver()];
    const id = await aWebhook(owner, first.url);
    const key = aKeyOf(owner, [...webhooks, 'users:act_as', 'tasks:read']);
    const body = change(second.url);
    expect((await key.updateWebhook({ params: { id }, body })).status).toBe(200);
    expect(await typesReceived(owner, id, 'url' in body ? second : first)).toEqual(['task.created']);
    const { changes } = await emitted(service, 'webhook.updated', id);
    expect(changes).toMatchObject({
      authorizedPermissions: { from: ['*'], to: ['tasks:read', 'users:act_as', ...webhooks] },
    });
  });

  it('are limited only by the user when the webhook has no stored key permissions', async () => {
    const owner = aUser([...webhooks, 'leads:read']);
    const hook = await receiver();
    const id = await aWebhook(aKeyOf(owner, [...webhooks, 'leads:read', 'tasks:read']), hook.url);
    await queryAsOwner(service, 'UPDATE webhook SET authorized_permissions = NULL WHERE id = $1', [id]);
    await publish(service, taskCreated, owner.caller, taskData);
    await inStatus(owner, id, 'skipped');
    await publish(service, leadCreated, owner.caller, leadData());
    await inStatus(owner, id, 'succeeded', 1);
  });

  it('hide the payload from a key that may not read the records, even if its user may', async () => {
    const owner = aUser(['*']);
    const hook = await receiver();
    const id = await aWebhook(owner, hook.url);
    await publish(service, leadCreated, owner.caller, leadData());
    await inStatus(owner, id, 'succeeded');
    const key = aKeyOf(owner, [...webhooks, 'tasks:read']);
    expect(await deliveryAt(key, id)).toMatchObject({ event: 'lead.created', payload: null, rawBody: null });
    expect((await key.listEvents({})).data).toEqual([]);
  });

  it('show payload and responses only to callers who may read the records', async () => {
    const { url } = await receiver();
    const owner = aUser(['*']);
    const id = await aWebhook(owner, url, { events: ['lead.*'] });
    await publish(service, leadCreated, owner.caller, leadData());
    const delivery = await inStatus(owner, id, 'succeeded');
    expect(delivery.payload.data.email).toBe('ada@example.com');
    expect(delivery.attempts).toMatchObject([{ statusCode: 200, responseBody: 'thanks' }]);
    const narrow = aUser([...webhooks, 'leads:read:own', 'tasks:read'], owner.caller.tenantId);
    const hidden = await deliveryAt(narrow, id);
    expect(hidden).toMatchObject({ event: 'lead.created', status: 'succeeded', payload: null, rawBody: null });
    expect(hidden.attempts).toMatchObject([{ statusCode: 200, responseHeaders: null, responseBody: null }]);
  });
});

describe('stored events', () => {
  it('are listed for callers who may read the records, and hidden from others', async () => {
    const owner = aUser(['*']);
    await publish(service, leadCreated, owner.caller, leadData());
    await publish(service, taskCreated, owner.caller, taskData);
    const [lead] = await until('both are stored', async () => {
      const { data } = await owner.listEvents({ query: { sort: 'id' } });
      return data.length === 2 && data;
    });
    const narrow = aUser([...webhooks, 'leads:read:own', 'tasks:read'], owner.caller.tenantId);
    const typesOf = async (query: Record<string, string> = {}) => {
      const { data, body } = await narrow.listEvents({ query });
      return [data.map(({ type }: { type: string }) => type), body.pagination?.total];
    };
    expect(await typesOf()).toEqual([['task.created'], 1]);
    expect(await typesOf({ type: 'lead.created' })).toEqual([[], 0]);
    expect((await narrow.getEvent({ params: { eventId: lead.id } })).status).toBe(404);
  });
});
