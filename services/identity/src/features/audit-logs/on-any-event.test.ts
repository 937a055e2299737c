import { randomUUID } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const ids = createIdCodec(secrets.IDS_ALPHABET);

/** An event as published by crm. */
const leadUpdated = (tenantId: number, fields: object = {}) => ({
  id: randomUUID(),
  name: 'lead.updated',
  tenantId,
  environment: 'live',
  occurredAt: '2026-11-21T10:00:00.000Z',
  action: 'lead.update',
  target: { type: 'lead', id: 7 },
  caller: {
    type: 'key',
    userId: 3,
    onBehalfOf: 4,
    keyId: 5,
    name: 'Ada Lovelace',
    ip: '203.0.113.9',
    userAgent: 'curl/8',
    requestId: 'req_1',
  },
  data: {},
  record: {},
  changes: { lastName: { from: 'B', to: 'C' } },
  ...fields,
});
let tenants = 500_000;
/** A tenant id without a tenant record. */
const someTenant = (tenantId = ++tenants) => ({ tenantId, owner: service.as({ type: 'user', tenantId }) });
const send = (event: { id: string; name: string }) => service.publish(event.name, event, event.id);
type Tenant = ReturnType<typeof someTenant>;
const entries = (tenant: Tenant, query: Record<string, string> = {}, count = 1) =>
  until(`${count} entries are there`, async () => {
    const { body, data } = await tenant.owner.listAuditLogs({ query });
    // Rows and total are separate queries, so an entry may be added in between.
    return body.pagination?.total === count && data.length === Math.min(count, 20) && data;
  });

describe('the audit log', () => {
  it('records actor, action, target, acting user, key and request context', async () => {
    const tenant = someTenant();
    const { tenantId, owner } = tenant;
    await send(leadUpdated(tenantId));
    const [entry] = await entries(tenant, { action: 'lead.update' });
    expect(entry).toEqual({
      id: expect.any(String),
      action: 'lead.update',
      occurredAt: '2026-11-21T10:00:00.000Z',
      onBehalfOf: { id: '4' },
      keyId: '5',
      outcome: 'success',
      actor: { type: 'key', id: '3', name: 'Ada Lovelace' },
      targets: [{ type: 'lead', id: ids.encode('lead', tenantId, 7) }],
      changes: { lastName: { from: 'B', to: 'C' } },
      context: { ip: '203.0.113.9', userAgent: 'curl/8', requestId: 'req_1', environment: 'live' },
    });
    expect((await owner.getAuditLog({ params: { id: entry.id } })).data).toEqual(entry);
  });

  it('records a portal user by name, without a user id', async () => {
    const tenant = someTenant();
    const caller = { type: 'portal', partnerId: 6, portalUserId: 7, sessionId: 8, name: 'Joan Clarke', requestId: 'r' };
    await send(leadUpdated(tenant.tenantId, { caller }));
    const [entry] = await entries(tenant, { action: 'lead.update' });
    expect(entry).toMatchObject({ actor: { type: 'portal', id: null, name: 'Joan Clarke' }, keyId: null });
  });

  it('records sign-up, users and keys of a tenant', async () => {
    const tenant = await aTenant(service);
    const { data: key } = await tenant.owner.createApiKey({ body: { name: 'ci' } });
    await tenant.owner.revokeApiKey({ params: { id: key.id } });
    const all = await entries(tenant, { sort: 'occurredAt' }, 4);
    expect(all.map(({ action }: { action: string }) => action)).toEqual([
      'tenant.create',
      'user.create',
      'api_key.create',
      'api_key.revoke',
    ]);
    expect(all[3]).toMatchObject({
      actor: { type: 'user', id: tenant.user.id },
      changes: { status: { from: 'active', to: 'revoked' } },
    });
  });

  it('records a duplicate event once', async () => {
    const tenant = someTenant();
    const event = leadUpdated(tenant.tenantId);
    await send(event);
    await send(event);
    await send(leadUpdated(tenant.tenantId, { target: { type: 'lead', id: 8 } }));
    await entries(tenant, { targetType: 'lead', targetId: ids.encode('lead', tenant.tenantId, 8) });
    await entries(tenant, { targetType: 'lead', targetId: ids.encode('lead', tenant.tenantId, 7) });
  });

  it('dead-letters unreadable events immediately and continues with the next ones', async () => {
    const tenant = someTenant();
    const { target, ...poisoned } = leadUpdated(tenant.tenantId);
    await service.publish('lead.updated', Buffer.from('{"half'), randomUUID());
    await service.publish('lead.updated', { ...poisoned, id: poisoned.id }, poisoned.id);
    await service.publish('lead.updated', leadUpdated(tenant.tenantId, { id: 'no uuid' }), 'no uuid');
    await send(leadUpdated(tenant.tenantId));
    await entries(tenant, { action: 'lead.update' });
    const dead = await until('three events are dead-lettered', async () => {
      const letters = await service.deadLetters('keep-audit-log');
      return letters.length === 3 && letters;
    });
    expect(new Set(dead.map(({ reason }) => reason))).toEqual(new Set(['unreadable']));
  });

  it('sanitizes text that PostgreSQL cannot store', async () => {
    const tenant = someTenant();
    const changes = { note: { from: 'a\0b', to: '\ud800' } };
    await send(
      leadUpdated(tenant.tenantId, {
        changes,
        caller: { type: 'key', requestId: 'r', userAgent: 'x\0'.repeat(1_000) },
      }),
    );
    const [entry] = await entries(tenant, { action: 'lead.update' });
    expect(entry.changes.note).toEqual({ from: 'ab', to: '\ufffd' });
  });

  it('redacts secrets and encodes changed ids', async () => {
    const tenant = someTenant();
    const changes = {
      assignedTo: { from: null, to: { $type: 'user', $id: 9 } },
      teamIds: { from: [], to: [{ $type: 'team', $id: 2 }] },
      clientSecret: { from: 'old', to: 'new' },
      settings: { from: { password: 'p1' }, to: { password: 'p2', color: 'red' } },
    };
    await send(leadUpdated(tenant.tenantId, { changes }));
    const [entry] = await entries(tenant, { action: 'lead.update' });
    expect(entry.changes).toEqual({
      assignedTo: { from: null, to: ids.encode('user', tenant.tenantId, 9) },
      teamIds: { from: [], to: [ids.encode('team', tenant.tenantId, 2)] },
      clientSecret: { from: '[redacted]', to: '[redacted]' },
      settings: { from: { password: '[redacted]' }, to: { password: '[redacted]', color: 'red' } },
    });
  });

  it('encodes ids at the declared paths and leaves customer data unchanged', async () => {
    const tenant = someTenant();
    const values = { $type: 'lead', $id: 7, nested: { $type: 'constructor', $id: 5 } };
    const changes = {
      assignedTo: { from: null, to: 9 },
      teamIds: { from: [], to: [2, 3] },
      outcome: { from: null, to: { result: 'won', byUserId: 4 } },
      customFields: { from: {}, to: values },
    };
    const changedIds = [
      { path: ['assignedTo'], type: 'user' },
      { path: ['teamIds', '*'], type: 'team' },
      { path: ['outcome', 'byUserId'], type: 'user' },
    ];
    await send(leadUpdated(tenant.tenantId, { changes, changedIds }));
    const [entry] = await entries(tenant, { action: 'lead.update' });
    const code = (type: 'user' | 'team', id: number) => ids.encode(type, tenant.tenantId, id);
    expect(entry.changes).toEqual({
      assignedTo: { from: null, to: code('user', 9) },
      teamIds: { from: [], to: [code('team', 2), code('team', 3)] },
      outcome: { from: null, to: { result: 'won', byUserId: code('user', 4) } },
      customFields: { from: {}, to: values },
    });
    const { data } = await fleet(service).verifyAuditChain({ body: { tenantId: `${tenant.tenantId}` } });
    expect(data.intact).toBe(true);
  });

  it.each([
    [{ $type: 'constructor', $id: 5 }],
    [{ $type: 'toString', $id: 5 }],
    [{ $type: 'lead', $id: -1 }],
    [{ $type: 'lead', $id: 1.5 }],
    [{ $type: 'lead', $id: 2 ** 60 }],
    [{ $type: 'lead', $id: 5, more: true }],
    [{ inner: { $type: 'tenant', $id: 5 } }],
    [[[{ $type: 'tenant', $id: 5 }]]],
  ])('leaves %j unchanged in an entry without id paths', async (value) => {
    const tenant = someTenant();
    await send(leadUpdated(tenant.tenantId, { changes: { customFields: { from: null, to: value } } }));
    const [entry] = await entries(tenant, { action: 'lead.update' });
    expect(entry.changes.customFields).toEqual({ from: null, to: value });
  });

  it('skips events declared as not audited', async () => {
    const tenant = someTenant();
    const telemetry = { action: 'engagement.record', target: { type: 'engagement_event', id: 8 }, audited: false };
    await send(leadUpdated(tenant.tenantId, telemetry));
    await send(leadUpdated(tenant.tenantId));
    // Events of a tenant are processed in order, so the second entry proves that the first event was skipped.
    await entries(tenant, { action: 'lead.update' });
    await entries(tenant);
  });

  it('is filtered by actor, acting user, key, action, target, environment and time', async () => {
    const tenant = someTenant();
    await send(leadUpdated(tenant.tenantId));
    await send(
      leadUpdated(tenant.tenantId, {
        action: 'lead.delete',
        environment: 'sandbox',
        occurredAt: '2026-11-21T11:00:00.000Z',
      }),
    );
    await entries(tenant, { actorId: '3' }, 2);
    await entries(tenant, { onBehalfOfId: '4' }, 2);
    await entries(tenant, { keyId: '5', environment: 'sandbox' });
    await entries(tenant, { action: 'lead.delete' });
    await entries(tenant, { targetType: 'lead' }, 2);
    await entries(tenant, { targetId: ids.encode('lead', tenant.tenantId, 7) }, 2);
    await entries(tenant, { targetType: 'lead', from: '2026-11-21T10:30:00Z' });
    await entries(tenant, { targetType: 'lead', to: '2026-11-21T10:30:00Z' });
    await entries(tenant, { actorId: '99' }, 0);
  });

  it.each([
    [{ targetType: 'ship' }, 'targetType'],
    [{ targetId: '7' }, 'targetId'],
    [{ targetType: 'user', targetId: ids.encode('lead', 1, 7) }, 'targetId'],
    [{ from: 'yesterday' }, 'from'],
  ])('rejects the filter %j', async (query, field) => {
    const { status, body } = await service
      .as({ tenantId: 1 })
      .listAuditLogs({ query: query as Record<string, string> });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('hides entries from other tenants, and live entries from sandbox keys', async () => {
    const [mine, theirs] = [someTenant(), someTenant()];
    await send(leadUpdated(mine.tenantId));
    await send(leadUpdated(mine.tenantId, { environment: 'sandbox' }));
    const [live] = await entries(mine, { action: 'lead.update', environment: 'live' });
    await entries(mine, { action: 'lead.update' }, 2);
    expect((await theirs.owner.getAuditLog({ params: { id: live.id } })).status).toBe(404);
    await entries(theirs, { action: 'lead.update' }, 0);
    const sandbox = service.as({ tenantId: mine.tenantId, environment: 'sandbox' });
    const { data } = await sandbox.listAuditLogs();
    expect(data.map(({ context }: { context: { environment: string } }) => context.environment)).toEqual(['sandbox']);
    expect((await sandbox.getAuditLog({ params: { id: live.id } })).status).toBe(404);
  });

  it('stays one intact chain under concurrent writes in both environments', async () => {
    const tenant = someTenant();
    const environments = ['live', 'sandbox'];
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        send(leadUpdated(tenant.tenantId, { environment: environments[index % 2] })),
      ),
    );
    await entries(tenant, { action: 'lead.update' }, 200);
    const { data } = await fleet(service).verifyAuditChain({ body: { tenantId: `${tenant.tenantId}` } });
    expect(data).toEqual({ entries: expect.any(Number), purged: 0, intact: true, firstBroken: null, reason: null });
  });
});
