import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const aStatus = async (api: Api, code: string): Promise<string> =>
  (await api.createStatus({ body: { code, name: code } })).data.id;
const remove = (api: Api, id: string, replaceWithId?: string) =>
  api.deleteStatus({ params: { id }, query: replaceWithId ? { replaceWithId } : {} });

/** Gives a status more leads than a request moves. */
async function fill(api: Api, statusCode: string) {
  for (let batch = 0; batch < 2; batch++) {
    const items = Array.from({ length: 150 }, () => aLead({ statusCode }));
    expect((await api.bulkCreateLeads({ body: { items } })).status).toBe(200);
  }
}

it('two statuses that replace each other do not move their leads back and forth for ever', async () => {
  const api = service.as();
  const [one, other] = [await aStatus(api, 'one'), await aStatus(api, 'other')];
  await Promise.all([fill(api, 'one'), fill(api, 'other')]);
  const replies = await Promise.all([remove(api, one, other), remove(api, other, one)]);
  const [started, refused] = replies.toSorted((first, second) => first.status - second.status);
  expect([started?.status, refused?.status, refused?.body.code]).toEqual([202, 409, 'being_replaced']);
  const { result } = await until('the job ends', async () => {
    const { data } = await api.getJob({ params: { id: started?.data.jobId } });
    return data.completedAt !== null && data;
  });
  expect(result).toEqual({ moved: 300, deleted: true });
  const left = await Promise.all([one, other].map((id) => api.getStatus({ params: { id } })));
  expect(left.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect((await api.listLeads()).body.pagination?.total).toBe(600);
});
