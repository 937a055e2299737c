import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

describe('exchange rates', () => {
  it('are empty at first, and replaced as a whole, with an event if they change', async () => {
    const api = service.as();
    expect((await api.getExchangeRates()).data).toEqual({ base: 'EUR', rates: [], updatedAt: null });
    const set = (rates: object[]) => api.setExchangeRates({ body: { rates } });
    const rates = [
      { currency: 'GBP', rate: 1.15 },
      { currency: 'USD', rate: 0.9 },
    ];
    const { data } = await set(rates.toReversed());
    expect(data).toEqual({ base: 'EUR', rates, updatedAt: expect.any(String) });
    expect((await api.getExchangeRates()).data).toEqual(data);
    await set(rates);
    await set([]);
    expect((await api.getExchangeRates()).data.rates).toEqual([]);
    const events = await until('the events arrive', () => {
      const found = service.events.filter(
        ({ name, tenantId }) => name === 'exchange_rates.updated' && tenantId === api.caller.tenantId,
      );
      return found.length >= 2 && found;
    });
    expect(events.map(({ changes }) => changes)).toEqual([
      { rates: { from: [], to: rates } },
      { rates: { from: rates, to: [] } },
    ]);
  });

  it('belong to one environment', async () => {
    const api = service.as();
    await api.setExchangeRates({ body: { rates: [{ currency: 'USD', rate: 0.9 }] } });
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.getExchangeRates()).data.rates).toEqual([]);
  });

  it.each([
    ['the currency of the tenant', [{ currency: 'EUR', rate: 2 }], 'rates.0.currency'],
    [
      'a currency twice',
      [
        { currency: 'USD', rate: 2 },
        { currency: 'USD', rate: 3 },
      ],
      'rates.1.currency',
    ],
    ['a rate of 0', [{ currency: 'USD', rate: 0 }], 'rates.0.rate'],
  ])('are refused with %s', async (_, rates, field) => {
    const { status, body } = await service.as().setExchangeRates({ body: { rates } });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });
});
