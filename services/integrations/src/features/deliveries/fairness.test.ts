import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import { hang, type Integrations, leadData, publish, receiver, startIntegrations } from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations({ WEBHOOK_TIMEOUT_SECONDS: 1.2, WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 60, 60] });
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
  await until('the first sends hang', () => hanging.requests.length >= 5);
  const waits = [];
  for (let index = 1; index <= 10; index += 1) {
    const began = Date.now();
    await publish(service, leadCreated, quick.caller, leadData(index));
    await until('it arrives', () => prompt.requests.length >= index);
    waits.push(Date.now() - began);
  }
  expect(hanging.requests.length).toBeLessThanOrEqual(10);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  await Promise.all([hanging.close(), prompt.close()]);
});

it('pauses a webhook after five timeouts in a row, without using up attempts', async () => {
  const api = service.as();
  const hook = await receiver(hang);
  const { id } = (await api.createWebhook({ body: { url: hook.url, events: ['*'] } })).data;
  for (let index = 1; index <= 30; index += 1) await publish(service, leadCreated, api.caller, leadData(index));
  const waiting = await until('the queue is paused', async () => {
    const all: { status: string; attemptCount: number; nextAttemptAt: string }[] = await deliveriesOf(api, id);
    const untried = all.filter(({ attemptCount }) => attemptCount === 0);
    return (
      untried.length >= 20 &&
      untried.every(({ nextAttemptAt }) => new Date(nextAttemptAt).getTime() > Date.now() + 50_000) &&
      untried
    );
  });
  expect(waiting.every(({ status }) => status === 'pending')).toBe(true);
  // Sends that had begun before the fifth timeout may add to it.
  expect(hook.requests.length).toBeLessThanOrEqual(10);
  await hook.close();
});

it('keeps the pace of a webhook’s rate limit, without using up attempts', async () => {
  const api = service.as();
  const hook = await receiver(200);
  const { id } = (await api.createWebhook({ body: { url: hook.url, events: ['*'], rateLimitPerSecond: 2 } })).data;
  for (let index = 1; index <= 6; index += 1) await publish(service, leadCreated, api.caller, leadData(index));
  await until('all have arrived', () => hook.requests.length === 6);
  const span = (hook.requests.at(-1)?.at as number) - (hook.requests[0]?.at as number);
  expect(span).toBeGreaterThanOrEqual(1_400);
  const all = await until('all are recorded', async () => {
    const found: { status: string; attemptCount: number }[] = await deliveriesOf(api, id);
    return found.every(({ status }) => status === 'succeeded') && found;
  });
  expect(all.map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1, 1, 1, 1]);
  await hook.close();
});
