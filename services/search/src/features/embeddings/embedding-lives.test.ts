import { testSettings, until } from '@tandem/testing';
import {
  type EmbeddingProvider,
  embedded,
  embeddingProvider,
  embeds,
  startWithProvider,
  stateOf,
  vectorsOf,
} from '../../embedding.test-service.ts';
import { type Api, aTenantWith, crmPeer, found, type Service } from '../../search.test-service.ts';

let provider: EmbeddingProvider;
let settings: Awaited<ReturnType<typeof testSettings>>;
const running: Service[] = [];

beforeEach(async () => {
  provider = await embeddingProvider();
  settings = await testSettings('search');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
  await provider.close();
  await settings.drop();
});

const start = async (options: Parameters<typeof startWithProvider>[1] = {}) => {
  const service = await startWithProvider(provider, options, settings);
  running.push(service);
  return service;
};
const stop = async (service: Service) => {
  running.splice(running.indexOf(service), 1);
  await service.close();
};
const similar = (api: Api, q: string) => found(api, q, { mode: 'semantic' });
const again = (service: Service, api: Api) => service.as(api.caller);

it('a restart in the middle of a request continues with the documents that wait', async () => {
  const first = await start();
  const release = provider.hold();
  const api = await aTenantWith(first, { a: { note: 'doctor' } });
  await until('the text is sent', () => provider.requests.length === 1);
  provider.disconnect();
  await stop(first);
  release();
  const second = await start();
  await embedded(second, api);
  expect(await similar(again(second, api), 'physician')).toEqual(['a']);
});

it('another model takes over while searches are answered, and the vectors of the first one are deleted', async () => {
  const first = await start();
  const api = await aTenantWith(first, { a: { note: 'doctor' }, b: { note: 'Johanna' } });
  await embedded(first, api);
  await stop(first);

  const release = provider.hold();
  const second = await start({ model: 'better' });
  const asked = again(second, api);
  // The search begins the work: nobody has written a document since.
  expect(await similar(asked, 'johana')).toEqual(['b']);
  await until('the texts are sent to the new model', () => provider.requests.some(({ model }) => model === 'better'));
  expect(await similar(asked, 'johana')).toEqual(['b']);
  release();
  await embedded(second, api, 'better:64');
  expect(await similar(asked, 'physician')).toEqual(['a']);
  expect(await vectorsOf(second, api)).toEqual(['a better:64', 'b better:64']);
});

it('a tenant that has used its tokens up waits for the next day, and its questions are answered by local vectors', async () => {
  const service = await start({ perDay: 1_000 });
  provider.answer(embeds({ tokens: 1_000 }));
  const api = await aTenantWith(service, { a: { note: 'doctor' } });
  await embedded(service, api);
  const { data, body } = await api.searchLeads({ query: { q: 'doctor who' } });
  expect([data[0].id, body.meta.warnings]).toMatchObject(['a', [{ message: expect.stringContaining('used up') }]]);
  await api.indexDocument({ body: { type: 'lead', id: 'b', data: { note: 'car' } } });
  const other = await aTenantWith(service, { c: { note: 'bread' } });
  await embedded(service, other);
  expect([await vectorsOf(service, api), provider.texts()]).toEqual([['a meaning:64'], ['doctor', 'bread']]);
  await service.sqlWithin(api.caller, `UPDATE embedding_use SET day = day - 1`);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'embed-documents'`);
  await until('the rest is embedded', async () => (await vectorsOf(service, api)).length === 2);
});

it('a rebuild of the index sends no text again', async () => {
  const crm = await crmPeer([]);
  const service = await start({ crmUrl: crm.url });
  const api = await aTenantWith(service, { a: { note: 'doctor' }, b: { note: 'car' } });
  await embedded(service, api);
  const { data } = await api.reindex({ body: { types: ['lead'] } });
  await until('the index is built', async () => {
    const { data: job } = await api.getReindex({ params: { jobId: data.jobId } });
    return job.status === 'completed';
  });
  await until('the vectors are copied', async () => (await stateOf(service, api))['is_queued'] === false);
  expect(await similar(api, 'physician')).toEqual(['a']);
  expect(provider.texts().toSorted()).toEqual(['car', 'doctor', 'physician']);
  await crm.close();
});
