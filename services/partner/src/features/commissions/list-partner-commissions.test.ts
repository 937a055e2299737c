import { anApprovedPartner, type Service, startPartner } from '../../partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

describe('listPartnerCommissions', () => {
  it('filters by calendar month, in UTC without a known time zone', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const moments = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z', '2026-02-28T23:59:59.999Z', '2026-03-01Z'];
    for (const [index, moment] of moments.entries())
      await service.sqlWithin(
        api.caller,
        'INSERT INTO commission (partner_id, amount_minor, currency, created_at) VALUES ($1, $2, $3, $4)',
        [id, 100 * (index + 1), 'EUR', moment],
      );
    const reply = (query: Record<string, string>) => api.listPartnerCommissions({ params: { id }, query });
    const amounts = async (query: Record<string, string>) =>
      (await reply(query)).data.map(({ amount }: { amount: number }) => amount);
    expect(await amounts({ period: '2026-02' })).toEqual([3, 2]);
    expect(await amounts({ period: '2026-02', createdFrom: '2026-02-02T00:00:00Z' })).toEqual([3]);
    expect(await amounts({ period: '2026-12' })).toEqual([]);
    expect((await reply({ period: '2026-13' })).body.errors?.[0]?.field).toBe('period');
  });
});
