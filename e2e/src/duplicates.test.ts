import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'search'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const aLead = async (email: string) => {
  const { data } = await tenant.api.createLead({ body: { email, firstName: 'Ada', lastName: 'Lovelace' } });
  return data.id;
};
/** The pair of two leads in search and in crm, once both have it in this status. */
const pairsOf = (ids: string[], status: 'open' | 'dismissed') =>
  until(`both services have the ${status} pair`, async () => {
    const { data: inSearch } = await tenant.api.listDuplicates({ query: { status } });
    const { data: inCrm } = await tenant.api.listLeadDuplicates({ query: { status } });
    const searched = inSearch.find(({ records }) => records.every(({ id }) => ids.includes(id)));
    const known = inCrm.find(({ leadIds }) => leadIds.every((id) => ids.includes(id)));
    return searched && known && { searched, known };
  });

describe('two leads of one person', () => {
  it('are one pair with one score in search and crm, and a dismissal in either holds in both', async () => {
    const ids = [await aLead('ada@engines.example'), await aLead('ada+news@engines.example')];
    const { searched, known } = await pairsOf(ids, 'open');
    expect(searched.score).toBe(known.confidence);
    await tenant.api.dismissDuplicatePair({ params: { pairId: searched.id } });
    const dismissed = await pairsOf(ids, 'dismissed');
    expect(dismissed.known.decidedBy).toBe(dismissed.searched.dismissedBy);
    // A higher score opens both, and then the decision is made in crm.
    await tenant.api.updateLead({ params: { id: ids[1] as string }, body: { email: 'ada@engines.example' } });
    const opened = await pairsOf(ids, 'open');
    await tenant.api.dismissDuplicate({ params: { pairId: opened.known.id } });
    const again = await pairsOf(ids, 'dismissed');
    expect([again.searched.score, again.searched.version, again.known.version]).toEqual([1, 4, 4]);
  });

  it('are no pair once they are merged, and one again when the merge is undone', async () => {
    const ids = [await aLead('grace@ships.example'), await aLead('grace@ships.example')];
    await pairsOf(ids, 'open');
    const [survivor, merged] = ids as [string, string];
    const { data } = await tenant.api.mergeLeads({ params: { id: survivor }, body: { mergeIds: [merged] } });
    const isListed = async () => {
      const { data: open } = await tenant.api.listDuplicates({ query: { limit: 100 } });
      return open.some(({ records }) => records.every(({ id }) => ids.includes(id)));
    };
    await until('search has no pair', async () => !(await isListed()));
    await tenant.api.undoLeadMerge({ params: { id: data.mergeId as string } });
    await pairsOf(ids, 'open');
  });
});
