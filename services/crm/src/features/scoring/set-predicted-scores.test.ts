import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const reason = 'Model conversion, version 3';
const create = async (api: Api) => (await api.createLead({ body: aLead() })).data;
/** Sends scores as analytics does; returns the code of each error. */
async function predict(api: Api, scores: { leadId: string; score: number; version: number }[], narrow?: object) {
  const as = service.as({ ...api.caller, type: 'system', ...(narrow && { narrow }) } as never);
  const { status, data } = await as.setPredictedScores({ body: { scores, reason } });
  expect(status).toBe(200);
  return data.map(({ error }: { error: { code: string } | null }) => error?.code ?? null);
}
const scoreOf = async (api: Api, id: string) => (await api.getLeadScore({ params: { id } })).data;

it('sets scores with version, history and event, without pinning them', async () => {
  const api = service.as();
  const lead = await create(api);
  expect(await predict(api, [{ leadId: lead.id, score: 81, version: 1 }])).toEqual([null]);
  expect(await scoreOf(api, lead.id)).toMatchObject({ score: 81, pinned: false, components: [], version: 2 });
  const { data: history } = await api.listLeadScoreHistory({ params: { id: lead.id } });
  expect(history[0]).toMatchObject({ score: 81, delta: 81, cause: 'prediction', reason, byUserId: '1' });
  const events = await until('the events arrive', () => {
    const found = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
    return found.length === 4 && found;
  });
  expect(events.find(({ name }) => name === 'lead.updated')?.data).toMatchObject({
    changes: { score: 81 },
    scoreCause: 'prediction',
  });
  expect(events.map(({ name }) => name).sort()).toEqual([
    'lead.created',
    'lead.score_threshold_crossed',
    'lead.score_threshold_crossed',
    'lead.updated',
  ]);
  expect(await predict(api, [{ leadId: lead.id, score: 81, version: 2 }])).toEqual([null]);
  expect((await scoreOf(api, lead.id)).version).toBe(2);
});

it('refuses leads one by one: pinned, changed, deleted, of another tenant or environment', async () => {
  const api = service.as();
  const [free, pinned, changed, deleted] = [await create(api), await create(api), await create(api), await create(api)];
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  const foreign = [await create(service.as()), await create(sandbox)];
  await api.setLeadScore({ params: { id: pinned.id }, body: { score: 7 } });
  await api.updateLead({ params: { id: changed.id }, body: { firstName: 'Mary' } });
  await api.deleteLead({ params: { id: deleted.id } });
  const scores = [deleted, pinned, free, changed, ...foreign].map(({ id }, index) => {
    return { leadId: id, score: 40, version: index === 1 ? 2 : 1 };
  });
  const codes = ['not_found', 'score_pinned', null, 'stale_version', 'not_found', 'not_found'];
  expect(await predict(api, scores)).toEqual(codes);
  expect((await scoreOf(api, pinned.id)).score).toBe(7);
  expect((await scoreOf(api, free.id)).score).toBe(40);
});

it('changes no leads outside the narrowing of the caller', async () => {
  const api = service.as();
  const lead = await create(api);
  const scores = [{ leadId: lead.id, score: 40, version: 1 }];
  expect(await predict(api, scores, { userId: 99 })).toEqual(['not_found']);
});
