import { longestTurn } from '@tandem/testing';
import { type Service, startSearch } from './search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

const documents = 100;
const bytes = 65_000;
const fill = (piece: string) => piece.repeat(Math.floor(bytes / piece.length));

describe('a page of 100 documents of 64 KB', () => {
  it.each<[string, object]>([
    ['one word many times', { name: 'needle', text: fill('needle ') }],
    ['accents', { name: 'needle', text: `needle ${fill('ǖ')}`.slice(0, 30_000) }],
    ['numbers', { name: 'needle', list: Array(19_000).fill(1) }],
    ['objects', { name: 'needle', list: Array(19_000).fill({}) }],
    ['texts in a list', { name: 'needle', list: Array(9_000).fill('need') }],
  ])('of %s holds the event loop less than 50 ms, to write and to read', async (_, data) => {
    const api = service.as();
    const write = async (id: number) => {
      const { status } = await api.indexDocument({ body: { type: 'lead', id: `d${id}`, data } });
      expect(status).toBe(200);
    };
    expect(await longestTurn(() => write(0))).toBeLessThan(50);
    for (let id = 1; id < documents; id += 4) await Promise.all([0, 1, 2, 3].map((more) => write(id + more)));
    const query = { q: 'need', limit: '100' };
    expect((await api.searchLeads({ query })).data).toHaveLength(documents);
    const search = async () => expect((await api.searchLeads({ query, unparsed: true })).status).toBe(200);
    expect(await longestTurn(search)).toBeLessThan(50);
    const suggest = async () =>
      expect((await api.autocomplete({ query: { q: 'need', limit: '20' } })).status).toBe(200);
    expect(await longestTurn(suggest)).toBeLessThan(50);
  });
});
