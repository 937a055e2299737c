import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

// Above 10,000 records, totals are estimated and filters that the sort index does not cover use other indexes. A page
// ends early after 50,000 rows without enough matches.
const leads = 61_000;
const oldOnes = 3_000;

let service: TestService<typeof crm>;
let api: ReturnType<TestService<typeof crm>['as']>;
beforeAll(async () => {
  service = await startCrm();
  api = service.as();
  // In batches, so that each stays below the statement timeout on a busy machine.
  for (let first = 1; first <= leads; first += 5_000)
    await service.sqlWithin(
      api.caller,
      `INSERT INTO lead (email, first_name, last_name, score, tags, custom_fields, created_at)
     SELECT 'lead.' || n || '@example.com', 'Grace', CASE WHEN n = 5 THEN 'Lovelace' ELSE 'Hopper' END, n % 101,
       CASE WHEN n IN (7, 8, 9) THEN ARRAY['rare'] WHEN n <= ${oldOnes} THEN ARRAY['old'] ELSE '{}' END,
       CASE WHEN n = 11 THEN '{"account": "A-11"}'::jsonb ELSE '{}' END, now() - (${leads} - n) * interval '1 minute'
     FROM generate_series(${first}, ${Math.min(first + 4_999, leads)}) n`,
    );
});
afterAll(() => service?.close());

const emails = ({ data }: { data: { email: string }[] }) => data.map(({ email }) => email);
const someEmails = (...numbers: number[]) => numbers.map((number) => `lead.${number}@example.com`);

describe('a list of many leads', () => {
  it('marks its total as an estimate, and returns the counted total soon after', async () => {
    const first = (await api.listLeads()).body.pagination;
    expect(first?.totalIsEstimate).toBe(true);
    expect(first?.total).toBeGreaterThanOrEqual(10_000);
    const counted = await until('the leads are counted', async () => {
      const { pagination } = (await api.listLeads()).body;
      return pagination?.total === leads && pagination;
    });
    expect(counted).toMatchObject({ totalIsEstimate: true, totalPages: leads / 20, hasNext: true });
  });

  it('does not affect the totals of a small tenant', async () => {
    const other = service.as();
    await other.createLead({ body: aLead() });
    const { pagination } = (await other.listLeads()).body;
    expect(pagination?.total).toBe(1);
    expect(pagination).not.toHaveProperty('totalIsEstimate');
  });

  it.each<[Record<string, string>, number[]]>([
    [{ tag: 'rare' }, [9, 8, 7]],
    [{ tag: 'rare', sort: 'createdAt' }, [7, 8, 9]],
    [{ search: 'OVELAC' }, [5]],
    [{ 'customFields[account]': 'A-11' }, [11]],
    [{ search: 'lovelace', tag: 'rare' }, []],
    [{ tag: 'none' }, []],
  ])('finds the few matches of %j, with an exact total', async (query, expected) => {
    const reply = await api.listLeads({ query });
    expect(emails(reply)).toEqual(someEmails(...expected));
    expect(reply.body.pagination).toMatchObject({ total: expected.length, hasNext: false });
    expect(reply.body.pagination).not.toHaveProperty('totalIsEstimate');
  });

  it('returns the same page by number and by cursor at any depth', async () => {
    const before = await api.listLeads({ query: { limit: '100', page: '300' } });
    const cursor = before.body.pagination?.nextCursor as string;
    const byNumber = await api.listLeads({ query: { limit: '100', page: '301' } });
    const byCursor = await api.listLeads({ query: { limit: '100', cursor } });
    expect(emails(byNumber)).toHaveLength(100);
    expect(emails(byNumber)).toEqual(emails(byCursor));
  });

  it('ends a page early after the row limit, and the cursor continues from there', async () => {
    const seen: string[] = [];
    let short = 0;
    let cursor: string | null | undefined;
    do {
      const query = { tag: 'old', limit: '100', ...(cursor && { cursor }) };
      const reply = await api.listLeads({ query });
      seen.push(...emails(reply));
      cursor = reply.body.pagination?.nextCursor;
      expect(reply.body.pagination?.hasNext).toBe(cursor !== null);
      if (cursor && reply.data.length < 100) short++;
    } while (cursor);
    expect(short).toBeGreaterThan(0);
    expect(seen).toHaveLength(oldOnes - 3);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('finds every match in any order while others read the list in its default order', async () => {
    // In this order the 10,000 rows that a page reads first have no match.
    await service.sqlWithin(api.caller, `UPDATE lead SET status = 'contacted' WHERE score < 3`);
    const found = async (query: Record<string, string>) =>
      (await api.listLeads({ query: { status: 'contacted', ...query } })).data.length;
    let isDone = false;
    const reader = async () => {
      while (!isDone) await found({});
    };
    const readers = Array.from({ length: 6 }, reader);
    try {
      for (let read = 0; read < 20; read++) expect(await found({ sort: '-score' })).toBe(20);
    } finally {
      isDone = true;
      await Promise.all(readers);
    }
  });

  it('counts a filter exactly in an order whose index has it, also after it was read in another order', async () => {
    const query = { status: 'contacted' };
    const total = async () => (await api.listLeads({ query })).body.pagination;
    const before = (await total())?.total as number;
    expect((await api.listLeads({ query: { ...query, sort: '-score' } })).data).toHaveLength(20);
    await api.createLead({ body: aLead({ status: 'contacted' }) });
    const after = await total();
    expect([after?.total, after?.totalIsEstimate]).toEqual([before + 1, undefined]);
  });

  it('has the total of its own search, also for texts that look like times', async () => {
    const [common, rare] = ['T10:00:11.001Z', 'T10:00:22.002Z'];
    await service.sqlWithin(
      api.caller,
      `UPDATE lead SET last_name = CASE WHEN id % 2 = 0 THEN '${common}' ELSE '${rare}' END
       WHERE first_name = 'Grace' AND (score = 9 OR score = 10 AND id % 2 = 0)`,
    );
    for (const text of [common, rare]) {
      const [row] = await service.sqlWithin(
        api.caller,
        `SELECT count(*)::int AS n FROM lead WHERE last_name = '${text}'`,
      );
      await until(`the leads with ${text} are counted`, async () => {
        const { pagination } = (await api.listLeads({ query: { search: text, limit: '1' } })).body;
        return pagination?.total === row?.['n'];
      });
    }
  });

  it('looks up matches in its own tenant and environment only', async () => {
    const lookUp = (caller: Parameters<typeof service.sqlWithin>[0]) =>
      service.sqlWithin(
        caller,
        `SELECT lead_with_text('lovelace', 9) UNION ALL SELECT lead_with_tags('rare', 9)
         UNION ALL SELECT lead_with_custom_fields('{"account": "A-11"}', 9)`,
      );
    expect(await lookUp(api.caller)).toHaveLength(5);
    expect(await lookUp({ ...api.caller, environment: 'sandbox' })).toEqual([]);
    expect(await lookUp(service.as().caller)).toEqual([]);
  });
});
