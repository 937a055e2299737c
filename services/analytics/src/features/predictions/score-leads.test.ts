import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aTenant, type Tenant } from './closed-leads.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const codesOf = ({ api }: Tenant, ...ids: number[]) =>
  ids.map((id) => codec.encode('lead', api.caller.tenantId as number, id));

async function withLeads(...ids: string[]) {
  const tenant = aTenant(service);
  for (const id of ids) await tenant.created({ id, version: 1, createdAt: ago(10) });
  await tenant.known(ids.length);
  return tenant;
}

interface Result {
  success: boolean;
  error: { code: string } | null;
  prediction: { leadId: string; score: number } | null;
}
const outcomes = (results: Result[]) => results.map(({ error }) => error?.code ?? 'scored');

describe('the prediction of a lead', () => {
  it('follows the rules without a trained model, and adds up', async () => {
    const tenant = await withLeads('1', '2');
    const before = (await tenant.api.getLeadPrediction({ params: { leadId: '1' } })).data;
    expect(before).toMatchObject({
      ...{ leadId: '1', model: 'conversion', band: 'cold', source: 'rules', modelVersion: 0 },
      scoredAt: expect.any(String),
    });
    await tenant.happened([
      { eventType: 'email_reply', leadId: '1', timestamp: ago(1) },
      { eventType: 'email_reply', leadId: '1', timestamp: ago(40) },
      { eventType: 'link_click', leadId: '1', timestamp: ago(2), automated: true },
    ]);
    const after = (await tenant.api.getLeadPrediction({ params: { leadId: '1' } })).data;
    expect(after.score).toBeGreaterThan(before.score);
    expect(after.score).toBe(Math.round(after.probability * 100));
    const valueIn = (name: string) => after.factors.find(({ feature }: { feature: string }) => feature === name).value;
    expect(['repliesRecent', 'repliesEarlier', 'clicksRecent', 'quietDays'].map(valueIn)).toEqual([1, 1, 0, 1]);
    const sum = after.factors.reduce(
      (total: number, one: { contribution: number }) => total + one.contribution,
      after.base,
    );
    expect(sum).toBeCloseTo(Math.log(after.probability / (1 - after.probability)), 9);
  });

  it('exists for existing leads of the tenant and environment only', async () => {
    const tenant = await withLeads('1', '2');
    await tenant.report('lead.deleted', { id: '2', version: 2 });
    await tenant.known(3);
    const sandbox = service.as({ tenantId: tenant.api.caller.tenantId as number, environment: 'sandbox' });
    const statusOf = async (api: Tenant['api'], leadId: string) =>
      (await api.getLeadPrediction({ params: { leadId } })).status;
    expect(await statusOf(tenant.api, '1')).toBe(200);
    expect(await statusOf(tenant.api, '2')).toBe(404);
    expect(await statusOf(tenant.api, '3')).toBe(404);
    expect(await statusOf(sandbox, '1')).toBe(404);
    expect(await statusOf(service.as(), '1')).toBe(404);
    const unknown = await tenant.api.getLeadPrediction({ params: { leadId: '1' }, query: { model: 'churn' } });
    expect(unknown.status).toBe(422);
  });

  it('needs the permission to read leads, and shows no others than that covers', async () => {
    const tenant = await withLeads('1', '2');
    const { tenantId } = tenant.api.caller;
    const statusAs = async (...can: string[]) =>
      (await service.as({ tenantId: tenantId as number, can }).getLeadPrediction({ params: { leadId: '1' } })).status;
    expect(await statusAs('analytics:read')).toBe(403);
    expect(await statusAs('analytics:read:own', 'leads:read')).toBe(403);
    expect(await statusAs('analytics:read', 'leads:read:own')).toBe(200);
    service.forget('1');
    expect(await statusAs('analytics:read', 'leads:read:own')).toBe(404);
  });
});

describe('predictions of many leads', () => {
  it('have one result per id in the order of the request, and store nothing', async () => {
    const tenant = await withLeads('11', '12');
    const [one, two, unknown] = codesOf(tenant, 11, 12, 13);
    const foreign = codec.encode('lead', (tenant.api.caller.tenantId as number) + 1, 11);
    const leadIds = [two, unknown, 'mistyped', one, two, foreign];
    const { status, data } = await tenant.api.scoreLeads({ body: { leadIds } });
    expect([status, data.succeeded, data.failed]).toEqual([200, 2, 4]);
    const codes = ['scored', 'not_found', 'not_found', 'scored', 'duplicate_in_request', 'not_found'];
    expect(outcomes(data.results)).toEqual(codes);
    expect(data.results.map(({ leadId }: { leadId: string }) => leadId)).toEqual(leadIds);
    expect(data.results[0].prediction).toMatchObject({ leadId: '12', source: 'rules' });
    expect(service.predicted.filter(({ tenantId }) => tenantId === tenant.api.caller.tenantId)).toEqual([]);
  });

  it('are stored as scores with `persist`, in the version that was scored; a lead that crm refuses fails alone', async () => {
    const tenant = await withLeads('21', '22');
    service.refuse('22', 'score_pinned');
    const body = { leadIds: codesOf(tenant, 22, 21, 23), persist: true };
    const { data } = await tenant.api.scoreLeads({ body });
    expect(outcomes(data.results)).toEqual(['score_pinned', 'scored', 'not_found']);
    const [request] = service.predicted.filter(({ tenantId }) => tenantId === tenant.api.caller.tenantId);
    const { score } = data.results[1].prediction;
    expect(request?.reason).toBe('Predicted by the model conversion by its rules');
    expect(request?.scores).toHaveLength(2);
    expect(request?.scores).toContainEqual({ leadId: '21', score, version: 1 });
    const event = await until('the scoring is announced', () =>
      service.events.find((one) => one.name === 'prediction.completed' && one.tenantId === tenant.api.caller.tenantId),
    );
    const used = { model: 'conversion', modelVersion: 0, source: 'rules' };
    expect(event.data).toEqual({ ...used, succeeded: 1, failed: 2, persisted: true });
  });

  it('need the permission to write leads only with `persist`, in its narrowing', async () => {
    const tenant = await withLeads('31');
    const leadIds = codesOf(tenant, 31);
    const tenantId = tenant.api.caller.tenantId as number;
    const statusAs = async (persist: boolean, ...can: string[]) =>
      (
        await service
          .as({ tenantId, can: ['analytics:read', 'leads:read', ...can] })
          .scoreLeads({ body: { leadIds, persist } })
      ).status;
    expect(await statusAs(false)).toBe(200);
    expect(await statusAs(true)).toBe(403);
    expect(await statusAs(true, 'leads:write:own')).toBe(200);
    const [request] = service.predicted.filter((one) => one.tenantId === tenantId);
    expect(request?.narrow).toMatchObject({ userId: 1 });
  });

  it('are limited to 250 leads', async () => {
    const { api } = aTenant(service);
    expect((await api.scoreLeads({ body: { leadIds: [] } })).status).toBe(422);
    expect((await api.scoreLeads({ body: { leadIds: Array(251).fill('a') } })).status).toBe(422);
  });
});
