import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aTenant, closeLeads, day } from './closed-leads.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

interface Weight {
  feature: string;
  weight: number;
}
const params = { name: 'conversion' };

it('learns from engagement what decides conversions, and predicts other leads with it', async () => {
  const tenant = aTenant(service);
  await closeLeads(tenant, { leads: 240 });
  const model = await tenant.trained();
  expect(model).toMatchObject({ name: 'conversion', version: 1, source: 'trained', state: 'active', reason: null });
  const { metrics, calibration, features } = model;
  expect(metrics.samples).toBe(240);
  expect(metrics.trainingSamples + metrics.heldOutSamples).toBe(240);
  expect(metrics.heldOutSamples).toBeGreaterThanOrEqual(46);
  expect(metrics.auc).toBeGreaterThan(0.8);
  expect(metrics.auc).toBeGreaterThanOrEqual(metrics.rulesAuc);
  expect(metrics.brier).toBeLessThan(metrics.baselineBrier);
  expect(calibration).toHaveLength(10);
  expect(calibration.at(-1).observed).toBeGreaterThan(calibration[0].observed);
  const weightOf = (name: string) => features.find(({ feature }: Weight) => feature === name)?.weight;
  expect(weightOf('repliesRecent')).toBeGreaterThan(1);
  expect(weightOf('clicksRecent')).toBeGreaterThan(0);
  expect(weightOf('repliesRecent')).toBeGreaterThan(weightOf('clicksRecent'));
  // Only leads that are converted already sent forms and have accounts.
  expect([weightOf('formsRecent'), weightOf('formsEarlier'), weightOf('hasAccount')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);

  const now = Date.now();
  for (const id of ['801', '802'])
    await tenant.created({ id, version: 1, createdAt: new Date(now - 5 * 86_400_000).toISOString() });
  await tenant.known(482);
  const timestamp = new Date(now - 86_400_000).toISOString();
  await tenant.happened([1, 2].map(() => ({ eventType: 'email_reply', leadId: '801', timestamp })));
  const predictionOf = async (leadId: string) => (await tenant.api.getLeadPrediction({ params: { leadId } })).data;
  const [engaged, quiet] = [await predictionOf('801'), await predictionOf('802')];
  expect(engaged).toMatchObject({ source: 'trained', modelVersion: 1 });
  expect(engaged.probability).toBeGreaterThan(quiet.probability + 0.3);
  for (const { base, factors, probability } of [engaged, quiet]) {
    const sum = factors.reduce((total: number, one: { contribution: number }) => total + one.contribution, 0);
    expect(base + sum).toBeCloseTo(Math.log(probability / (1 - probability)), 9);
  }
  expect(engaged.factors[0]).toMatchObject({
    feature: 'repliesRecent',
    value: 2,
    text: 'The lead replied to e-mails 2 times in the last 30 days: more likely to convert',
  });
}, 120_000);

it('does not use a model that predicts nothing, and goes on with the rules', async () => {
  const tenant = aTenant(service);
  await closeLeads(tenant, { leads: 200, isRandom: true });
  const model = await tenant.trained();
  expect([model.state, model.version]).toEqual(['rejected', 1]);
  expect(model.reason).toMatch(/^On held-out leads its AUC/);
  expect(Math.abs(model.metrics.auc - 0.5)).toBeLessThan(0.25);
  const { data } = await tenant.api.listPredictionModels();
  expect(data[1]).toMatchObject({ id: null, version: 0, source: 'rules', state: 'active', metrics: null });
  const prediction = await tenant.api.getLeadPrediction({ params: { leadId: '1' } });
  expect(prediction.data).toMatchObject({ source: 'rules', modelVersion: 0 });
}, 120_000);

it('keeps older versions, one training at a time, and announces the end of each', async () => {
  const tenant = aTenant(service);
  await closeLeads(tenant, { leads: 120 });
  const first = await tenant.trained();
  const replies = await Promise.all([1, 2].map(() => tenant.api.trainPredictionModel({ params })));
  expect(replies.map(({ status, body }) => body.code ?? status).sort()).toEqual([202, 'training_running']);
  const versions = async () => (await tenant.api.listPredictionModels()).data;
  await until('the second training ends', async () => (await versions())[0].state === 'active');
  expect((await versions()).map(({ version, state }: { version: number; state: string }) => [version, state])).toEqual([
    [2, 'active'],
    [1, 'replaced'],
    [0, 'replaced'],
  ]);
  expect((await versions())[1]).toEqual({ ...first, state: 'replaced' });
  // The same leads make the same model.
  expect((await versions())[0].features).toEqual(first.features);
  await until('both are announced', () => {
    const events = service.events.filter(({ tenantId }) => tenantId === tenant.api.caller.tenantId);
    return events.filter(({ name }) => name === 'prediction_model.trained').length === 2;
  });
  await service.sqlWithin(tenant.api.caller, 'UPDATE prediction_model SET version = version + 20 WHERE version = 2');
  expect((await tenant.trained()).version).toBe(23);
  expect((await versions()).map(({ version }: { version: number }) => version)).toEqual([23, 22, 0]);
}, 120_000);

it('needs 50 closed leads with both outcomes: conversions and won deals against unqualified leads and lost deals', async () => {
  const tenant = aTenant(service);
  const { api } = tenant;
  await closeLeads(tenant, { leads: 45 });
  const refused = await api.trainPredictionModel({ params });
  expect([refused.status, refused.body.code]).toEqual([409, 'too_few_outcomes']);
  expect((await api.listPredictionModels()).data).toMatchObject([{ source: 'rules', state: 'active' }]);
  for (let n = 101; n <= 105; n++) {
    await tenant.created({ id: `${n}`, version: 1, createdAt: day(1) });
    const deal = { id: `${n}`, version: 1, leadId: `${n}`, createdAt: day(2), closedAt: day(3) };
    const isWon = n % 2 === 0;
    if (isWon) await tenant.report('opportunity.won', { ...deal, status: 'won' }, { data: { value: 1 } });
    else await tenant.report('opportunity.lost', { ...deal, status: 'lost' }, { data: { reason: 'price' } });
  }
  const started = await until('the deals count', async () => {
    const reply = await api.trainPredictionModel({ params });
    return reply.status === 202 && reply;
  });
  await until('the training ends', async () => {
    return (await api.getJob({ params: { id: started.data.jobId } })).data.status === 'completed';
  });
  expect((await api.listPredictionModels()).data[0].metrics.samples).toBe(50);
}, 120_000);

it('refuses an unknown model, and callers who may only read', async () => {
  const api = service.as();
  expect((await api.trainPredictionModel({ params: { name: 'churn' } })).status).toBe(404);
  const reader = service.as({ can: ['analytics:read', 'analytics:write'] });
  expect((await reader.trainPredictionModel({ params })).status).toBe(403);
});
