import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import { hang, type Integrations, leadData, publish, receiver, startIntegrations } from '../../testing.ts';

const later = { WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 600, 600] };
// Sends that an endpoint may have in flight before its first response.
const freshMax = 2;

let service: Integrations;
beforeAll(async () => {
  // Longer than the test, so that hanging sends do not time out.
  service = await startIntegrations({ ...later, WEBHOOK_TIMEOUT_SECONDS: 120 });
});
afterAll(() => service.close());

const deliveriesOf = async (api: ReturnType<Integrations['as']>, id: string) =>
  (await api.listDeliveries({ params: { id }, query: { limit: '100' } })).data;

it('delivers one tenant’s events while every send to another tenant hangs', async () => {
  const [slow, quick] = [service.as(), service.as()];
  const [hanging, prompt] = [await receiver(hang), await receiver(200)];
  await slow.createWebhook({ body: { url: hanging.url, events: ['*'] } });
  await quick.createWebhook({ body: { url: prompt.url, events: ['*'] } });
  for (let index = 1; index <= 60; index += 1) await publish(service, leadCreated, slow.caller, leadData(index));
  await until('as many sends hang as may', () => hanging.requests.length >= freshMax);
  for (let index = 1; index <= 10; index += 1) {
    await publish(service, leadCreated, quick.caller, leadData(index));
    await until('it arrives', () => prompt.requests.length >= index);
  }
  // No send has ended, otherwise another one would have taken its slot.
  expect(hanging.requests).toHaveLength(freshMax);
  await Promise.all([hanging.close(), prompt.close()]);
});

it('pauses a webhook after five timeouts in a row, without using up attempts', async () => {
  const impatient = await startIntegrations({ ...later, WEBHOOK_TIMEOUT_SECONDS: 1 });
  const api = impatient.as();
  const hook = await receiver(hang);
  const { id } = (await api.createWebhook({ body: { url: hook.url, events: ['*'] } })).data;
  for (let index = 1; index <= 30; index += 1) await publish(impatient, leadCreated, api.caller, leadData(index));
  const waiting = await until('the queue is paused', async () => {
    const all: { status: string; attemptCount: number; nextAttemptAt: string }[] = await deliveriesOf(api, id);
    const unattempted = all.filter(({ attemptCount }) => attemptCount === 0);
    return (
      unattempted.length >= 20 &&
      // A pause lasts a minute; waiting for a slot takes less than half of that.
      unattempted.every(({ nextAttemptAt }) => new Date(nextAttemptAt).getTime() > Date.now() + 31_000) &&
      unattempted
    );
  });
  expect(waiting.every(({ status }) => status === 'pending')).toBe(true);
  // After the first timeout sends run one at a time, so at most one starts before the fifth timeout is recorded.
  expect(hook.requests.length).toBeLessThanOrEqual(6);
  await impatient.close();
  await hook.close();
});

it('respects the rate limit of a webhook, without using up attempts', async () => {
  const api = service.as();
  const hook = await receiver(200);
  const { id } = (await api.createWebhook({ body: { url: hook.url, events: ['*'], rateLimitPerSecond: 2 } })).data;
  const startedAt = Date.now();
  for (let index = 1; index <= 6; index += 1) await publish(service, leadCreated, api.caller, leadData(index));
  await until('all have arrived', () => hook.requests.length === 6);
  // Deliveries are scheduled half a second apart; on a busy machine they can only be later.
  for (const [index, { at }] of hook.requests.entries()) expect(at - startedAt).toBeGreaterThanOrEqual(index * 500);
  const all = await until('all are recorded', async () => {
    const found: { status: string; attemptCount: number }[] = await deliveriesOf(api, id);
    return found.every(({ status }) => status === 'succeeded') && found;
  });
  expect(all.map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1, 1, 1, 1]);
  await hook.close();
});
