import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

const payees = 8;
/** The payments after which partner is killed, before it has the answer. */
const kills = [2, 5];
const waitMs = 180_000;

let provider: ReturnType<typeof aProvider>;
let fleet: TestFleet;
let tenant: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  provider = aProvider();
  await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
  const { port } = provider.server.address() as AddressInfo;
  fleet = await startFleet({
    services: ['identity', 'partner', 'integrations'],
    env: { PAYOUT_PROVIDER_URL: `http://127.0.0.1:${port}`, PAYOUT_PROVIDER_KEY: 'secret' },
  });
  tenant = await aTenant(fleet);
  receiver = await startReceiver();
  await tenant.api.createWebhook({ body: { url: receiver.url, events: ['commission.paid'] } });
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await receiver?.close();
  provider?.server.closeAllConnections();
  provider?.server.close();
}, 90_000);

/** A payment provider that makes one payment for a key, and kills partner instead of answering some. */
function aProvider() {
  const requests: string[] = [];
  const payments = new Map<string, number>();
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = request.headers['idempotency-key'] as string;
    const { amount } = JSON.parse(Buffer.concat(chunks).toString()) as { amount: number };
    requests.push(key);
    const isNew = !payments.has(key);
    payments.set(key, amount);
    if (isNew && kills.includes(payments.size)) return fleet.kill('partner');
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: `pay_${key}` }));
  });
  return { server, requests, payments };
}

/** An approved partner with an account and an approved commission. */
async function aPayee(number: number) {
  const { api } = tenant;
  const person = { email: `partner${number}@example.com`, password: 'a long phrase is best' };
  const { data } = await api.createPartner({ body: { email: person.email, firstName: 'Joan', lastName: 'Clarke' } });
  const params = { id: data.id };
  await api.approvePartner({ params, body: {} });
  await api.createPortalUser({ params, body: { ...person, role: 'owner' } });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  await fleet.api({ accessToken: session.token, tenantId: tenant.id }).setPortalPayoutAccount({
    body: { holder: 'Joan Clarke', iban: 'DE89370400440532013000', password: person.password },
  });
  const body = { amount: number, currency: 'EUR', description: 'Event' };
  const { data: commission } = await api.createCommission({ params, body });
  await api.approveCommission({ params: { cid: commission.id }, body: {} });
  return { partnerId: data.id, cid: commission.id };
}

/** Ids of the delivered events by commission. */
function paidEvents(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { body } of receiver.deliveries) {
    const event = JSON.parse(body) as { id: string; data: { commissionId: string } };
    found.set(event.data.commissionId, (found.get(event.data.commissionId) ?? new Set()).add(event.id));
  }
  return found;
}

it('a partner service that is killed between a payment and its record pays each commission once', async () => {
  const { api } = tenant;
  const earned = [];
  for (let number = 1; number <= payees; number++) earned.push(await aPayee(number));
  const { data: created } = await api.createPayout({
    body: { periodEnd: new Date().toISOString(), currency: 'EUR' },
  });
  const params = { id: created.id };
  await until('the payout is prepared', async () => (await api.getPayout({ params })).data.preparedAt);
  await api.approvePayout({ params });
  await api.processPayout({ params, body: { method: 'provider' } });
  const completed = await until(
    'the payout is completed',
    async () => {
      // While partner restarts, the gateway answers 503.
      const reply = await api.getPayout({ params }).catch(() => undefined);
      return reply?.data.status === 'completed' && reply.data;
    },
    waitMs,
  );

  // 1 + 2 + … + 8 = 36
  expect(completed).toMatchObject({ amount: 36, paidCount: payees, failedCount: 0 });
  expect([...provider.payments.values()].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  // The payments without an answer were requested again with the same key.
  expect(provider.requests.length).toBeGreaterThanOrEqual(payees + kills.length);
  for (const [index, { partnerId, cid }] of earned.entries()) {
    expect((await api.getCommission({ params: { cid } })).data.status).toBe('paid');
    expect((await api.getPartner({ params: { id: partnerId } })).data.balances).toEqual([
      { currency: 'EUR', amount: 0 },
    ]);
    const { data } = await api.listCommissionStatements({ params: { id: partnerId } });
    expect(data).toMatchObject([{ earned: index + 1, paid: index + 1, closingBalance: 0 }]);
  }
  await until('the events arrive', () => paidEvents().size === payees, waitMs);
  expect([...paidEvents().values()].map(({ size }) => size)).toEqual(Array(payees).fill(1));
}, 400_000);
