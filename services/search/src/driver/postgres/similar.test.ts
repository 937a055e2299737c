import { leadOf } from '../../../relevance/documents.ts';
import { queries } from '../../../relevance/queries.ts';
import { localVector } from '../../embedding/local.ts';
import { cosine } from '../../embedding/vector.ts';
import { termsOf } from '../../fields.ts';
import { type Service, startSearch } from '../../search.test-service.ts';
import { wordsOf } from '../../words.ts';

const documents = Array.from({ length: 3_000 }, (_, n) => leadOf(n));
const shown = 20;

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

it('the candidates have the similar documents, compared with reading every vector', async () => {
  const api = service.as();
  for (let from = 0; from < documents.length; from += 500) {
    const part = documents.slice(from, from + 500).map(({ id, data }) => ({ type: 'lead' as const, id, data }));
    const reply = await api.indexDocuments({ body: { documents: part } });
    expect(reply.data.failed).toBe(0);
  }
  const vectors = documents.map(({ id, data }) => ({
    id,
    vector: localVector([...termsOf(data, 'lead')].filter(([, weight]) => weight > 0)),
  }));
  let [found, wanted] = [0, 0];
  for (const { q } of queries.filter(({ type }) => type === 'lead')) {
    const asked = localVector([...new Set(wordsOf(q).map(({ term }) => term))].map((term) => [term, 1] as const));
    const similarities = new Map(vectors.map(({ id, vector }) => [id, cosine(asked, vector)]));
    const best = [...similarities.values()].filter((one) => one >= 0.35).sort((one, other) => other - one);
    const query = { q, mode: 'semantic', limit: String(shown), typo: 'auto' };
    const { data } = await api.searchLeads({ query });
    // Documents of equal similarity may change places, so similarities are compared and not ids.
    const worst = best.slice(0, shown).at(-1) ?? 1;
    found += data.filter(({ id }: { id: string }) => (similarities.get(id) ?? 0) >= worst).length;
    wanted += Math.min(best.length, shown);
  }
  if (process.env['RELEVANCE']) console.log(`recall ${found / wanted}, ${found} of ${wanted}`);
  expect(found / wanted).toBeGreaterThan(0.95);
});
