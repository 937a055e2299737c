import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  type Answer,
  type Api,
  aWebhook,
  closingReceivers,
  hang,
  type Integrations,
  leadData,
  publish,
  type Receiver,
  startIntegrations,
} from '../../testing.ts';

const events = 30;
// A delivery that waits for a slow endpoint takes at least 12 s. A busy machine adds less than this tolerance.
const toleranceMs = 8_000;

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations({ WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 600] });
});
afterAll(() => service.close());
const receiver = closingReceivers();

const afterTwelveSeconds: Answer = (_, response) => void setTimeout(() => response.writeHead(200).end(), 12_000);

interface Tenant {
  api: Api & { caller: { tenantId?: number; environment: 'live' | 'sandbox' } };
  healthy: Receiver;
}

/** A tenant with one fast receiver, registered after its other ones. */
async function aTenant(others: Answer[] = []): Promise<Tenant> {
  const api = service.as();
  for (const answer of others) await aWebhook(api, (await receiver(answer)).url);
  const healthy = await receiver(200);
  await aWebhook(api, healthy.url);
  return { api, healthy };
}

/** Publishes events for the tenants in turn; returns the sorted latencies at the healthy receiver of each. */
async function latencies(...tenants: Tenant[]): Promise<number[][]> {
  const published = tenants.map(({ healthy }) => ({ from: healthy.requests.length, at: new Map<string, number>() }));
  for (let index = 0; index < events; index += 1)
    for (const [one, { api }] of tenants.entries()) {
      const { at, from } = published[one] as (typeof published)[number];
      const email = `lead-${from + index}@example.com`;
      at.set(email, Date.now());
      await publish(service, leadCreated, api.caller, { ...leadData(), email });
    }
  await until(
    'all events have arrived',
    () => tenants.every(({ healthy }, one) => healthy.requests.length >= (published[one]?.from ?? 0) + events),
    90_000,
  );
  return tenants.map(({ healthy }, one) =>
    healthy.requests
      .slice(published[one]?.from)
      .map(({ at, body }) => at - (published[one]?.at.get(JSON.parse(String(body)).data.email) ?? Number.NaN))
      .sort((a, b) => a - b),
  );
}

const p95 = (sorted: number[]) => sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
const bound = (alone: number[]) => p95(alone) * 1.2 + toleranceMs;

it.each<[string, Answer[], number]>([
  ['responds 500', [500], 1],
  ['never responds', [hang], 2],
  ['responds 200 after 12 s', [afterTwelveSeconds], 3],
  ['responds 200 after 12 s, as do four others', Array.from({ length: 5 }, () => afterTwelveSeconds), 2],
])(
  'delivers equally fast when another webhook of the tenant %s',
  async (_, others, rounds) => {
    const alone = await aTenant();
    const beside = await aTenant(others);
    for (let round = 1; round <= rounds; round += 1) {
      const [expected, actual] = (await latencies(alone, beside)) as [number[], number[]];
      expect(p95(actual)).toBeLessThanOrEqual(bound(expected));
    }
  },
  120_000,
);

it('delivers equally fast while webhooks of many other tenants never respond', async () => {
  const quiet = await aTenant();
  const [expected] = (await latencies(quiet)) as [number[]];
  for (let tenant = 0; tenant < 24; tenant += 1) {
    const { api, healthy } = await aTenant([hang]);
    for (let index = 0; index < 5; index += 1) await publish(service, leadCreated, api.caller, leadData());
    await until('the tenant’s healthy receiver has all events', () => healthy.requests.length === 5);
  }
  const [known, unknown] = (await latencies(quiet, await aTenant())) as [number[], number[]];
  expect(p95(known)).toBeLessThanOrEqual(bound(expected));
  expect(p95(unknown)).toBeLessThanOrEqual(bound(expected));
}, 120_000);
