import { documents, evaluate, plainSearchSql, type Quality } from '../relevance/evaluate.ts';
import { queries } from '../relevance/queries.ts';
import { type Api, drivers, indexAll, type Service, startSearchWith } from './search.test-service.ts';

const operations = { lead: 'searchLeads', opportunity: 'searchOpportunities', partner: 'searchPartners' } as const;

it('the labelled set has enough queries, and each has a document that is wanted', () => {
  expect(queries.length).toBeGreaterThanOrEqual(60);
  for (const { q, grades } of queries) expect([q, [...grades.values()].includes(3)]).toEqual([q, true]);
});

// 0.02 below what was measured: [nDCG@10, MRR].
const floors = {
  PostgreSQL: { keyword: [0.747, 0.766], semantic: [0.7, 0.78], hybrid: [0.904, 0.926] },
  OpenSearch: { keyword: [0.747, 0.766], semantic: [0.651, 0.74], hybrid: [0.89, 0.913] },
} as const;

describe.each(drivers)('the relevance with %s', (driver) => {
  let service: Service;
  let api: Api;
  const quality = new Map<string, Quality>();
  const ndcg = (name: string) => quality.get(name)?.ndcg ?? 0;
  const mrr = (name: string) => quality.get(name)?.mrr ?? 0;

  beforeAll(async () => {
    service = await startSearchWith(driver);
    api = service.as();
    await indexAll(api, documents);
    for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
      const { all, byKind } = await evaluate(async ({ type, q }) => {
        const { data } = await api[operations[type]]({ query: { q, mode, limit: '10' } });
        return data.map(({ id }: { id: string }) => id);
      });
      quality.set(mode, all);
      if (process.env['RELEVANCE']) console.table([...byKind].map(([kind, one]) => ({ mode, kind, ...one })));
    }
    const plain = await evaluate(async ({ type, q }) => {
      const rows = await service.sqlWithin(api.caller, plainSearchSql, [type, q]);
      return rows.map(({ id }) => String(id));
    });
    quality.set('plain', plain.all);
    if (process.env['RELEVANCE']) console.table(Object.fromEntries(quality));
  });
  afterAll(() => service?.close());

  it.each(['keyword', 'semantic', 'hybrid'] as const)('of %s searches is what was measured', (mode) => {
    const [leastNdcg, leastMrr] = floors[driver][mode];
    expect(ndcg(mode)).toBeGreaterThanOrEqual(leastNdcg);
    expect(mrr(mode)).toBeGreaterThanOrEqual(leastMrr);
  });

  it('of hybrid searches is at least that of searches by words', () => {
    expect(ndcg('hybrid')).toBeGreaterThanOrEqual(ndcg('keyword'));
    expect(mrr('hybrid')).toBeGreaterThanOrEqual(mrr('keyword'));
  });

  it('of hybrid searches is far above that of plain full-text search', () => {
    expect(ndcg('hybrid')).toBeGreaterThan(ndcg('plain') + 0.3);
    expect(mrr('hybrid')).toBeGreaterThan(mrr('plain') + 0.3);
  });
});
