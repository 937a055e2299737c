import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from './crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

async function tell(name: string, tenantId: number, version: number) {
  const event = {
    id: randomUUID(),
    name,
    tenantId,
    environment: 'live',
    occurredAt: new Date().toISOString(),
    action: 'tenant.change',
    target: { type: 'tenant', id: tenantId },
    caller: { type: 'system', name: 'identity', requestId: 'req_1' },
    data: { tenantId: `${tenantId}` },
    record: { id: `${tenantId}`, version },
  };
  await service.publish(name, event, event.id);
}

const within = (tenantId: number, sql: string, environment: 'live' | 'sandbox' = 'live') =>
  service.sqlWithin({ tenantId, environment } as never, sql);
const stateOf = async (tenantId: number) =>
  (await within(tenantId, 'SELECT state FROM platform.tenant_state')).map(({ state }) => state);

/** Every row of a tenant in any table, as table and count. */
async function rowsOf(tenantId: number): Promise<string[]> {
  const tables = await service.sql(`SELECT format('%I.%I', nspname, relname) AS name FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE nspname IN ('public', 'platform') AND relkind = 'r' AND attname = 'tenant_id'`);
  const found: string[] = [];
  for (const { name } of tables) {
    // The row that is kept, so that late events are dropped.
    if (name === 'platform.tenant_state') continue;
    for (const environment of ['live', 'sandbox'] as const) {
      const readable = name !== 'platform.outbox';
      const rows = readable
        ? await within(tenantId, `SELECT 1 FROM ${name} WHERE tenant_id = ${tenantId}`, environment)
        : [];
      if (rows.length) found.push(`${name} ${rows.length}`);
    }
  }
  return found;
}

describe('the data of a deleted tenant', () => {
  it('is removed from every table in both environments, and the service reports it', async () => {
    const doomed = service.as();
    const other = service.as();
    const sandbox = service.as({ tenantId: doomed.caller.tenantId as number, environment: 'sandbox' });
    const tenantId = doomed.caller.tenantId as number;
    for (const api of [doomed, other, sandbox]) {
      const { data: lead } = await api.createLead({ body: aLead({ email: 'same@example.com', tags: ['vip'] }) });
      await api.createLead({ body: aLead({ email: 'same@example.com' }) });
      await api.createTask({ body: { title: 'Call', leadId: lead.id } });
    }
    expect((await rowsOf(tenantId)).length).toBeGreaterThan(4);
    const others = await rowsOf(other.caller.tenantId as number);

    await tell('tenant.deletion_due', tenantId, 3);
    const report = await until('crm reports the removal', () =>
      service.events.find((event) => event.name === 'tenant.data_removed' && event.tenantId === tenantId),
    );
    expect(report.data).toMatchObject({ tenantId: `${tenantId}`, service: 'crm', rows: expect.any(Number) });
    await until('no row is left', async () => (await rowsOf(tenantId)).length === 0);
    const kept = await rowsOf(other.caller.tenantId as number);
    // Its own consumers may still add to the inbox.
    const records = (rows: string[]) => rows.filter((row) => !row.startsWith('platform.'));
    expect(records(kept)).toEqual(records(others));
  });

  it('is not restored by a late event, job or request', async () => {
    const doomed = service.as();
    const tenantId = doomed.caller.tenantId as number;
    await doomed.createLead({ body: aLead() });
    await until('an event to send again', () =>
      service.events.find((event) => event.name === 'lead.created' && event.tenantId === tenantId),
    );
    const late = service.events.find((event) => event.name === 'lead.created' && event.tenantId === tenantId);
    await tell('tenant.deletion_due', tenantId, 3);
    await until('crm has removed its data', async () => (await stateOf(tenantId))[0] === 'removed');

    const deadBefore = await service.deadLetters('detect-duplicates');
    const id = randomUUID();
    await service.publish('lead.created', { ...late, id, tenantId }, id);
    // A later event of another tenant in the same queue shows that the late one was taken.
    const other = service.as();
    const { data: lead } = await other.createLead({ body: aLead({ email: 'same@example.com' }) });
    const { data: twin } = await other.createLead({ body: aLead({ email: 'same@example.com' }) });
    expect(lead.id).not.toBe(twin.id);
    await until('the later event was handled', async () => {
      const rows = await within(
        other.caller.tenantId as number,
        `SELECT 1 FROM platform.inbox WHERE consumer = 'detect-duplicates'`,
      );
      return rows.length >= 2;
    });
    expect(await service.deadLetters('detect-duplicates')).toEqual(deadBefore);

    const refused = await doomed.createLead({ body: aLead() });
    expect([refused.status, (refused.body as { code?: string }).code]).toEqual([403, 'tenant_suspended']);
    await within(tenantId, `INSERT INTO platform.job (name, payload, due_at) VALUES ('resume-jobs', '{}', now())`);
    await tell('tenant.resumed', tenantId, 2);
    await until('no row is left', async () => (await rowsOf(tenantId)).length === 0);
    expect(await stateOf(tenantId)).toEqual(['removed']);
  });

  it('cannot be removed while the tenant is not being deleted', async () => {
    const { caller } = service.as();
    await expect(
      within(caller.tenantId as number, `SELECT platform.remove_tenant_rows('lead'::regclass, 'tenant_id', 10)`),
    ).rejects.toThrow('not being removed');
  });
});

describe('a suspended tenant', () => {
  it('has its jobs paused, and they run when it is resumed', async () => {
    const { caller } = service.as();
    const tenantId = caller.tenantId as number;
    await tell('tenant.suspended', tenantId, 2);
    await until('crm knows', async () => (await stateOf(tenantId))[0] === 'suspended');
    await within(
      tenantId,
      `INSERT INTO platform.job (name, payload, due_at) VALUES ('resume-jobs', '{}', now()), ('resume-jobs', '{}', now())`,
    );
    const jobs = async () =>
      (await within(tenantId, 'SELECT state FROM platform.job ORDER BY id')).map(({ state }) => state);
    await until('the jobs are paused', async () => (await jobs()).every((state) => state === 'paused'));
    await tell('tenant.resumed', tenantId, 3);
    // One run remains, for rows that are paused late.
    await until('the jobs have run', async () => (await jobs()).join() === 'waiting');
  });

  it('stays suspended when an older event arrives late', async () => {
    const { caller } = service.as();
    const tenantId = caller.tenantId as number;
    await tell('tenant.suspended', tenantId, 5);
    await until('crm knows', async () => (await stateOf(tenantId))[0] === 'suspended');
    await tell('tenant.resumed', tenantId, 4);
    await tell('tenant.suspended', tenantId, 6);
    await until('the last event was handled', async () => {
      const [row] = await within(tenantId, 'SELECT version FROM platform.tenant_state');
      return Number(row?.version) === 6;
    });
    expect(await stateOf(tenantId)).toEqual(['suspended']);
  });
});
