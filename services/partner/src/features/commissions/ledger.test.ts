import { type Api, anApprovedPartner, type Service, startPartner } from '../../partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

interface Entry {
  type?: string;
  amount?: number;
  currency?: string;
  rate?: number;
  externalId?: string | null;
  opportunityId?: string | null;
  originalId?: string | null;
}

/** Inserts an entry like a handler; resolves to the name of the violated constraint, if any. */
async function insert(api: Api, partnerId: string, entry: Entry): Promise<string | undefined> {
  const { type = 'earned', amount = 100, currency = 'EUR', rate = 5, externalId = null, opportunityId = '1' } = entry;
  const { originalId = null } = entry;
  return service
    .sqlWithin(
      api.caller,
      `INSERT INTO commission (partner_id, type, amount_minor, currency, rate, external_id, opportunity_id,
        original_commission_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [partnerId, type, amount, currency, rate, externalId, opportunityId, originalId],
    )
    .then(
      () => undefined,
      (error: { constraint?: string }) => error.constraint ?? 'none',
    );
}

describe('the commission ledger', () => {
  it('allows one commission per deal, and one clawback of it that is not cancelled', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    expect(await insert(api, id, {})).toBeUndefined();
    expect(await insert(api, id, {})).toBe('commission_of_deal');
    const [{ id: originalId } = {}] = await service.sqlWithin(api.caller, 'SELECT id FROM commission');
    const clawback = { type: 'clawback', amount: -100, originalId: `${originalId}` };
    expect(await insert(api, id, clawback)).toBeUndefined();
    expect(await insert(api, id, clawback)).toBe('commission_clawback');
    await service.sqlWithin(api.caller, "UPDATE commission SET status = 'cancelled' WHERE type = 'clawback'");
    expect(await insert(api, id, clawback)).toBeUndefined();
    expect((await api.listPartnerCommissions({ params: { id } })).data).toHaveLength(3);
  });

  it('has unique externalIds per tenant and environment', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const entry = { externalId: 'order-17', opportunityId: null };
    expect(await insert(api, id, entry)).toBeUndefined();
    expect(await insert(api, id, entry)).toBe('commission_external_id');
    const other = service.as();
    expect(await insert(other, (await anApprovedPartner(other)).id, entry)).toBeUndefined();
  });

  it.each<[string, Entry]>([
    ['commission_amount', { amount: 0 }],
    ['commission_currency', { currency: 'eur' }],
    ['commission_rate', { rate: 101 }],
  ])('violates %s: %j', async (constraint, entry) => {
    const api = service.as();
    expect(await insert(api, (await anApprovedPartner(api)).id, entry)).toBe(constraint);
  });
});
