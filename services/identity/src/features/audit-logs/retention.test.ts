import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const [old, young] = [366, 364];
let tenants = 600_000;

/** Creates a log with one entry per age in days, in order of arrival. */
async function aLog(...ages: number[]) {
  const tenantId = ++tenants;
  const write = async (days: number) => {
    const event = {
      id: randomUUID(),
      name: 'lead.updated',
      tenantId,
      environment: 'live',
      action: 'lead.update',
      occurredAt: new Date(Date.now() - days * 86_400_000).toISOString(),
    };
    const caller = { type: 'key', userId: 3, keyId: 5, requestId: 'req_1' };
    await service.publish(
      event.name,
      { ...event, target: { type: 'lead', id: 7 }, caller, data: {}, record: {} },
      event.id,
    );
  };
  const verify = async () => (await fleet(service).verifyAuditChain({ body: { tenantId: `${tenantId}` } })).data;
  const append = async (...more: number[]) => {
    const { entries } = await verify();
    for (const days of more) await write(days);
    await until('all entries are written', async () => (await verify()).entries === entries + more.length);
  };
  await append(...ages);
  const tamper = (sql: string) => service.sql(`SELECT set_config('app.tenant_id', '${tenantId}', false); ${sql}`);
  const shown = async () => (await service.as({ tenantId }).listAuditLogs()).body.pagination?.total;
  return { verify, append, tamper, shown };
}

const intact = (entries: number, purged: number) => ({
  entries,
  purged,
  intact: true,
  firstBroken: null,
  reason: null,
});

it('removes entries after 365 days, and the remaining chain still verifies', async () => {
  const { verify, shown, append } = await aLog(old, old, old, young, 0);
  await service.housekeep();
  expect(await shown()).toBe(2);
  expect(await verify()).toEqual(intact(2, 3));
  await append(0);
  await service.housekeep();
  expect(await verify()).toEqual(intact(3, 3));
});

it('keeps an old entry that arrived after a younger one until the younger one is removed', async () => {
  const { verify } = await aLog(old, young, old, 0);
  await service.housekeep();
  expect(await verify()).toEqual(intact(3, 1));
});

it('continues the chain after all entries were removed', async () => {
  const { verify, append } = await aLog(old, old);
  await service.housekeep();
  expect(await verify()).toEqual(intact(0, 2));
  await append(0, 0);
  expect(await verify()).toEqual(intact(2, 2));
});

it.each([
  ['the first remaining entry is deleted', 'DELETE FROM audit_log WHERE position = 3', 'Entry 3 is missing'],
  [
    'an entry is inserted before it',
    `UPDATE audit_log SET position = 2 WHERE position = 4`,
    'The log ends at entry 3 of 4',
  ],
  [
    'the anchor is moved',
    `UPDATE audit_head SET purged = 3; DELETE FROM audit_log WHERE position = 3`,
    'Entry 4 was modified',
  ],
])('still detects when %s', async (_, sql, reason) => {
  const { verify, tamper } = await aLog(old, old, young, 0);
  await service.housekeep();
  await tamper(sql);
  expect(await verify()).toMatchObject({ intact: false, reason });
});

it('does not allow the service role to delete entries or move the anchor', async () => {
  const [may] = await service.sql(`SELECT has_table_privilege('tandem_identity_app', 'audit_log', 'DELETE') AS remove,
    has_column_privilege('tandem_identity_app', 'audit_head', 'purged', 'UPDATE') AS move,
    has_column_privilege('tandem_identity_app', 'audit_head', 'purged_hash', 'INSERT') AS set`);
  expect(may).toEqual({ remove: false, move: false, set: false });
});
