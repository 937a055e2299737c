import { randomUUID } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const caller = { type: 'key', userId: 3, keyId: 5, name: 'Ada', requestId: 'req_1' };

let tenants = 500_000;

/** Creates a log with seven entries, and a function to tamper with them as database administrator. */
async function aLog() {
  const tenantId = ++tenants;
  for (let lead = 1; lead <= 7; lead++) {
    const event = {
      id: randomUUID(),
      name: 'lead.updated',
      tenantId,
      environment: 'live',
      occurredAt: new Date().toISOString(),
      action: 'lead.update',
    };
    await service.publish(
      event.name,
      {
        ...event,
        target: { type: 'lead', id: lead },
        caller,
        data: {},
        record: {},
        changes: { score: { from: 0, to: lead } },
      },
      event.id,
    );
  }
  const verify = async () => (await fleet(service).verifyAuditChain({ body: { tenantId: `${tenantId}` } })).data;
  await until('all entries are written', async () => (await verify()).entries === 7);
  const tamper = (sql: string) => service.sql(`SELECT set_config('app.tenant_id', '${tenantId}', false); ${sql}`);
  const targetId = createIdCodec(secrets.IDS_ALPHABET).encode('lead', tenantId, 4);
  const [fourth] = (await service.as({ tenantId }).listAuditLogs({ query: { targetId } })).data;
  return { tenantId, verify, tamper, fourth: fourth.id as string };
}

describe('verifying the audit chain', () => {
  it('accepts an unmodified log and an empty log', async () => {
    const { verify } = await aLog();
    expect(await verify()).toEqual({ entries: 7, purged: 0, intact: true, firstBroken: null, reason: null });
    expect((await fleet(service).verifyAuditChain({ body: { tenantId: '888888' } })).data).toMatchObject({
      entries: 0,
      intact: true,
    });
  });

  it.each([
    ['another action', `UPDATE audit_log SET action = 'lead.read' WHERE position = 4`],
    ['other changes', `UPDATE audit_log SET changes = '{"score": {"from": 0, "to": 99}}' WHERE position = 4`],
    ['another actor', `UPDATE audit_log SET actor_id = 99 WHERE position = 4`],
    ['another time', `UPDATE audit_log SET occurred_at = occurred_at - interval '1 hour' WHERE position = 4`],
    ['another target', `UPDATE audit_log SET target_id = 99 WHERE position = 4`],
    ['another hash', `UPDATE audit_log SET hash = repeat('0', 64) WHERE position = 4`],
  ])('detects an entry with %s', async (_, sql) => {
    const { verify, tamper, fourth } = await aLog();
    await tamper(sql);
    expect(await verify()).toMatchObject({
      intact: false,
      firstBroken: fourth,
      reason: 'Entry 4 was modified',
    });
  });

  it('detects a deleted entry', async () => {
    const { verify, tamper } = await aLog();
    await tamper('DELETE FROM audit_log WHERE position = 4');
    expect(await verify()).toMatchObject({ intact: false, reason: 'Entry 4 is missing', entries: 6 });
  });

  it('detects a deleted entry when later entries are renumbered', async () => {
    const { verify, tamper } = await aLog();
    // In two steps: PostgreSQL checks the unique position row by row, in the order in which it finds the rows.
    await tamper(`DELETE FROM audit_log WHERE position = 4; UPDATE audit_log SET position = position + 99 WHERE position > 4;
      UPDATE audit_log SET position = position - 100 WHERE position > 4; UPDATE audit_head SET entries = entries - 1`);
    expect(await verify()).toMatchObject({ intact: false, reason: 'Entry 4 was modified' });
  });

  it('detects two swapped entries', async () => {
    const { verify, tamper } = await aLog();
    await tamper(`UPDATE audit_log SET position = 100 WHERE position = 4; UPDATE audit_log SET position = 4 WHERE position = 5;
      UPDATE audit_log SET position = 5 WHERE position = 100`);
    expect(await verify()).toMatchObject({ intact: false, reason: 'Entry 4 was modified' });
  });

  it('detects truncation, with or without a rewritten head', async () => {
    const { verify, tamper } = await aLog();
    await tamper('DELETE FROM audit_log WHERE position > 5');
    expect(await verify()).toMatchObject({ intact: false, reason: 'The log ends at entry 5 of 7' });
    await tamper('UPDATE audit_head SET entries = 5');
    expect(await verify()).toMatchObject({
      intact: false,
      reason: 'The last entry does not match the head of the log',
    });
  });

  it('detects an inserted entry', async () => {
    const { verify, tamper } = await aLog();
    await tamper(`INSERT INTO audit_log (position, event_id, action, occurred_at, actor_type, target_type, target_id, request_id, record_environment, outcome, hash)
      SELECT 8, gen_random_uuid(), action, occurred_at, actor_type, target_type, target_id, request_id, record_environment, outcome, hash FROM audit_log WHERE position = 7`);
    expect(await verify()).toMatchObject({ intact: false, reason: 'The log has 8 entries, but its head counts 7' });
  });

  it('reports no false positives while entries are written', async () => {
    const { tenantId, verify } = await aLog();
    const writing = (async () => {
      for (let lead = 1; lead <= 100; lead++) {
        const event = {
          id: randomUUID(),
          name: 'lead.updated',
          tenantId,
          environment: 'live',
          occurredAt: new Date().toISOString(),
          action: 'lead.update',
        };
        await service.publish(
          event.name,
          { ...event, target: { type: 'lead', id: lead }, caller, data: {}, record: {} },
          event.id,
        );
      }
    })();
    let verdict = await verify();
    while (verdict.entries < 107) {
      expect(verdict).toMatchObject({ intact: true });
      verdict = await verify();
    }
    await writing;
  });
});
