import { aTenantWith, drivers, type Service, startSearchWith } from '../../search.test-service.ts';

describe.each(drivers)('with %s', (driver) => {
  let service: Service;
  beforeAll(async () => {
    service = await startSearchWith(driver);
  });
  afterAll(() => service?.close());

  describe('searchOpportunities and searchPartners', () => {
    it('find their own type, by their own filters', async () => {
      const api = await aTenantWith(
        service,
        {
          big: { name: 'Crane deal', value: 9000, currency: 'EUR', stage: 'won' },
          small: { name: 'Crane parts', value: 90.5, currency: 'USD' },
        },
        'opportunity',
      );
      await api.indexDocument({
        body: { type: 'partner', id: 'p', data: { company: 'Crane', tier: 'gold', status: 'pending' } },
      });
      const ids = async (query: Record<string, string>) =>
        (await api.searchOpportunities({ query: { q: 'crane', ...query } })).data
          .map(({ id }: { id: string }) => id)
          .sort();
      expect([
        await ids({}),
        await ids({ minValue: '90.5', maxValue: '90.5' }),
        await ids({ currency: 'EUR' }),
        await ids({ stage: 'won' }),
      ]).toEqual([['big', 'small'], ['small'], ['big'], ['big']]);
      const reversed = await api.searchOpportunities({ query: { q: 'crane', minValue: '100', maxValue: '90.5' } });
      expect([reversed.status, reversed.body.errors]).toEqual([
        422,
        [{ field: 'maxValue', message: 'Must not be below minValue' }],
      ]);
      const partners = async (query: Record<string, string>) =>
        (await api.searchPartners({ query: { q: 'crane', ...query } })).body.pagination?.total;
      expect([
        await partners({}),
        await partners({ tier: 'gold', status: 'pending' }),
        await partners({ tier: 'silver' }),
      ]).toEqual([1, 1, 0]);
    });
  });
});
