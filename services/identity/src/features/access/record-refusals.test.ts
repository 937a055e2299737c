import { randomUUID } from 'node:crypto';
import { refusalsPerHourMax } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const ids = createIdCodec(secrets.IDS_ALPHABET);
type Tenant = Awaited<ReturnType<typeof aTenant>>;

const refusal = (tenant: Tenant, fields: object = {}) => ({
  id: randomUUID(),
  at: new Date().toISOString(),
  tenantId: `${tenant.tenantId}`,
  environment: 'live',
  userId: Number(tenant.user.id),
  keyId: null,
  onBehalfOf: null,
  name: 'Ada Lovelace',
  ip: '203.0.113.9',
  userAgent: 'curl/8',
  requestId: 'req_12345678',
  operation: 'DELETE /v1/leads/:id',
  reason: 'forbidden',
  ...fields,
});
const report = async (refusals: object[]) =>
  (await fleet(service).recordRefusals({ body: { refusals } as never })).status;
const entries = async (tenant: Tenant, query: Record<string, string> = {}) =>
  (await tenant.owner.listAuditLogs({ query: { outcome: 'refused', limit: '100', ...query } })).data;
/** The entries once the log contains an entry of a last, other caller. */
async function settled(tenant: Tenant) {
  await report([refusal(tenant, { keyId: 999, operation: 'GET /v1/last' })]);
  return until('the last entry is there', async () => {
    const all = await entries(tenant);
    const isLast = (entry: { keyId: string | null }) => entry.keyId === '999';
    return all.some(isLast) && all.filter((entry: { keyId: string | null }) => !isLast(entry));
  });
}

describe('a refused call', () => {
  it('is an entry of the audit log with caller, request, outcome and the time of the call', async () => {
    const tenant = await aTenant(service);
    const at = new Date(Date.now() - 60_000).toISOString();
    expect(await report([refusal(tenant, { at })])).toBe(200);
    const [entry] = await until('the entry is there', async () => {
      const found = await entries(tenant);
      return found.length === 1 && found;
    });
    expect(entry).toMatchObject({
      action: 'request.refuse',
      outcome: 'refused',
      occurredAt: at,
      actor: { type: 'user', id: tenant.user.id, name: 'Ada Lovelace' },
      keyId: null,
      targets: [{ type: 'user', id: ids.encode('user', tenant.tenantId, Number(tenant.user.id)) }],
      changes: { operation: { from: null, to: 'DELETE /v1/leads/:id' }, reason: { from: null, to: 'forbidden' } },
      context: { ip: '203.0.113.9', userAgent: 'curl/8', requestId: 'req_12345678', environment: 'live' },
    });
    expect((await tenant.owner.listAuditLogs({ query: { outcome: 'failure' } })).data).toEqual([]);
    const verified = await fleet(service).verifyAuditChain({ body: { tenantId: `${tenant.tenantId}` } });
    expect(verified.data).toMatchObject({ intact: true });
  });

  it('of an API key names the key, its owner, the user it acted for, and the environment', async () => {
    const tenant = await aTenant(service);
    await report([refusal(tenant, { keyId: 9, onBehalfOf: 4, environment: 'sandbox', reason: 'bad_target_user' })]);
    const [entry] = await until('the entry is there', async () => {
      const found = await entries(tenant, { environment: 'sandbox' });
      return found.length === 1 && found;
    });
    expect(entry).toMatchObject({
      actor: { type: 'key', id: tenant.user.id },
      keyId: '9',
      onBehalfOf: { id: '4' },
      targets: [{ type: 'api_key', id: ids.encode('api_key', tenant.tenantId, 9) }],
      context: { environment: 'sandbox' },
    });
  });

  it('is recorded at most ten times per caller and hour, also if two gateways report at the same time', async () => {
    const tenant = await aTenant(service);
    const other = await tenant.addUser('member');
    const batch = (fields: object = {}) => Array.from({ length: 8 }, () => refusal(tenant, fields));
    const began = new Date().getUTCHours();
    expect(await Promise.all([report(batch()), report(batch()), report(batch({ userId: Number(other.id) }))])).toEqual([
      200, 200, 200,
    ]);
    const recorded = await settled(tenant);
    const of = (id: string) => recorded.filter(({ actor }: { actor: { id: string } }) => actor.id === id).length;
    // The calls may be recorded in two hours, and the count begins again in each.
    if (new Date().getUTCHours() === began) expect(of(tenant.user.id)).toBe(refusalsPerHourMax);
    expect(of(other.id)).toBe(8);
  });

  it('is recorded again in the next hour', async () => {
    const tenant = await aTenant(service);
    const calls = (count: number) => Array.from({ length: count }, () => refusal(tenant));
    await report(calls(refusalsPerHourMax + 1));
    await service.sqlWithin(tenant.owner.caller, `UPDATE refused_call SET hour = hour - interval '1 hour'`);
    await report(calls(1));
    expect(await settled(tenant)).toHaveLength(refusalsPerHourMax + 1);
  });

  it('is recorded once if its report is repeated', async () => {
    const tenant = await aTenant(service);
    const calls = [refusal(tenant), refusal(tenant)];
    await Promise.all([report(calls), report(calls)]);
    await report(calls);
    expect(await settled(tenant)).toHaveLength(2);
  });

  it('of an unknown tenant is ignored', async () => {
    const tenant = await aTenant(service);
    expect(await report([refusal(tenant, { tenantId: '999999' }), refusal(tenant)])).toBe(200);
    expect(await settled(tenant)).toHaveLength(1);
    const unknown = { ...tenant.owner.caller, tenantId: 999_999 };
    expect(await service.sqlWithin(unknown, 'SELECT * FROM refused_call')).toEqual([]);
  });

  it('is accepted from internal services only', async () => {
    const { owner } = await aTenant(service);
    expect((await owner.recordRefusals({ body: { refusals: [] } })).status).toBe(403);
  });
});
