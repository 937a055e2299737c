import { randomUUID } from 'node:crypto';
import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { type OwnStores, ownStores } from './own-stores.ts';

const creates = 2_000;
const clients = 12;

/** Ids of acknowledged leads by Idempotency-Key. */
type Ledger = Map<string, string>;

let stores: OwnStores;
let fleet: TestFleet;
let tenant: TestTenant;
let receiver: Receiver;

beforeAll(async () => {
  stores = await ownStores('kill');
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    stores,
    env: { REDIS_TIMEOUT_MS: '50', WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,5,5,10' },
  });
  tenant = await aTenant(fleet);
  receiver = await startReceiver();
  await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await receiver?.close();
  await stores?.stop();
}, 90_000);

/** Creates leads one by one, and retries each with the same Idempotency-Key until it is acknowledged. */
async function createUntilAcknowledged(ledger: Ledger, next: () => number | undefined): Promise<void> {
  for (let number = next(); number !== undefined; number = next()) {
    const idempotencyKey = randomUUID();
    const body = { email: `lead-${number}@example.com`, firstName: 'Lead', lastName: `Number${number}` };
    await until(
      `lead ${number} is acknowledged`,
      async () => {
        const reply = await tenant.api.createLead({ body, idempotencyKey });
        ledger.set(idempotencyKey, reply.data.id);
        return true;
      },
      120_000,
    );
  }
}

describe('SIGKILL of crm, integrations, the gateway, RabbitMQ and Redis during 2,000 creates', () => {
  it('loses and duplicates no acknowledged lead, and each reaches the audit log and the webhook effectively once', async () => {
    const ledger: Ledger = new Map();
    let number = 0;
    const work = Promise.all(
      Array.from({ length: clients }, () =>
        createUntilAcknowledged(ledger, () => (number < creates ? ++number : undefined)),
      ),
    );
    const victims = [
      () => fleet.kill('crm'),
      () => stores.signal('rabbitmq', 'SIGKILL'),
      () => fleet.kill('integrations'),
      () => stores.signal('redis', 'SIGKILL'),
      () => fleet.kill('gateway'),
      () => fleet.kill('crm'),
    ];
    for (const [index, kill] of victims.entries()) {
      await until('the next kill is due', () => ledger.size >= ((index + 1) * creates) / (victims.length + 1), 120_000);
      kill();
    }
    await work;

    const acknowledged = new Set(ledger.values());
    expect([ledger.size, acknowledged.size]).toEqual([creates, creates]);
    expect((await tenant.api.listLeads({ query: { limit: 1 } })).pagination?.total).toBe(creates);

    await until(
      'every lead is in the audit log',
      async () =>
        (await tenant.api.listAuditLogs({ query: { action: 'lead.create', limit: 1 } })).pagination?.total === creates,
      120_000,
    );
    await until('every lead has reached the webhook', () => deliveredLeads().size === creates, 120_000);
    expect([...deliveredLeads().keys()].every((id) => acknowledged.has(id))).toBe(true);
    // The same event may be delivered twice (at-least-once delivery), but there are never two events for one lead.
    expect([...deliveredLeads().values()].filter((events) => events.size !== 1)).toEqual([]);
    process.stdout.write(
      `${JSON.stringify({ program: 'kill', creates, acknowledged: acknowledged.size, lost: 0, doubled: 0, deliveries: receiver.deliveries.length })}\n`,
    );
  }, 600_000);
});

describe('SIGKILL of integrations while it delivers a webhook', () => {
  it('is followed by another attempt within 30 s', async () => {
    const silent = await startReceiver((_, count) => (count === 1 ? undefined : 204));
    try {
      const { data } = await tenant.api.createWebhook({ body: { url: silent.url, events: ['lead.updated'] } });
      const lead = await tenant.api.createLead({
        body: { email: 'killed@example.com', firstName: 'Ada', lastName: 'Lovelace' },
      });
      await tenant.api.updateLead({ params: { id: lead.data.id }, body: { firstName: 'Grace' } });
      await until('the attempt is being made', () => silent.deliveries.length === 1);
      fleet.kill('integrations');
      const killedAt = performance.now();
      await until('the next attempt arrives', () => silent.deliveries.length === 2, 60_000);
      expect(performance.now() - killedAt).toBeLessThan(30_000);
      const state = async () => (await tenant.api.listDeliveries({ params: { id: data.id } })).data[0]?.status;
      await until('the delivery has succeeded', async () => (await state()) === 'succeeded');
    } finally {
      await silent.close();
    }
  }, 120_000);
});

/** Ids of the delivered events by lead. */
function deliveredLeads(): Map<string, Set<string>> {
  const leads = new Map<string, Set<string>>();
  for (const { body } of receiver.deliveries) {
    const event = JSON.parse(body) as { id: string; data: { leadId: string } };
    leads.set(event.data.leadId, (leads.get(event.data.leadId) ?? new Set()).add(event.id));
  }
  return leads;
}
