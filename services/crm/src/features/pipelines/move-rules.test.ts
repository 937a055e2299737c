import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

/** A deal in the first stage of the default pipeline, which gets these rules. */
async function aDealWith(api: Api, rules: Record<string, unknown>): Promise<{ id: string }> {
  const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout' } });
  const [pipeline] = (await api.listPipelines()).data;
  const body = { noSkip: false, noBackward: false, requiredFields: {}, allowedRoleIds: [], ...rules };
  expect((await api.setPipelineRules({ params: { id: pipeline?.id as string }, body })).body.errors).toBeUndefined();
  return { id: deal.id };
}

const refusal = ({ status, body }: { status: number; body: { code?: string; errors?: { message: string }[] } }) => [
  status,
  body.code,
  body.errors?.[0]?.message,
];

it('a pipeline without skipping lets deals move to the next stage, or be closed', async () => {
  const api = service.as();
  const params = await aDealWith(api, { noSkip: true });
  const refused = await api.moveOpportunity({ params, body: { stage: 'proposal' } });
  expect(refusal(refused)).toEqual([409, 'move_refused', 'The next stage after Prospecting is Qualification']);
  expect((await api.updateOpportunity({ params, body: { stage: 'proposal' } })).status).toBe(409);
  expect((await api.moveOpportunity({ params, body: { stage: 'qualification' } })).status).toBe(200);
  expect((await api.winOpportunity({ params, body: {} })).status).toBe(200);
});

it('a pipeline without going back keeps deals from earlier stages, unless they are reopened', async () => {
  const api = service.as();
  const params = await aDealWith(api, { noBackward: true });
  await api.moveOpportunity({ params, body: { stage: 'proposal' } });
  const refused = await api.moveOpportunity({ params, body: { stage: 'prospecting' } });
  expect(refusal(refused)).toEqual([409, 'move_refused', 'Deals do not move back from Proposal to Prospecting']);
  await api.loseOpportunity({ params, body: { reasonCode: 'price' } });
  const { data: stages } = await api.listStatuses({ query: { entityType: 'opportunity' } });
  const stageId = stages.find(({ code }: { code: string }) => code === 'prospecting').id;
  const reopened = await api.reopenOpportunity({ params, body: { stageId } });
  expect([reopened.status, reopened.data.stage]).toEqual([200, 'prospecting']);
});

it('a stage with required fields takes only deals that have them, from the same request or before', async () => {
  const api = service.as();
  const params = await aDealWith(api, { requiredFields: { proposal: ['value', 'customFields.seats'] } });
  const move = () => api.moveOpportunity({ params, body: { stage: 'proposal' } });
  const refused = await move();
  expect([refused.status, refused.body.errors?.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    ['value', 'customFields.seats'],
  ]);
  await api.updateOpportunity({ params, body: { customFields: { seats: 5 } } });
  const both = await api.updateOpportunity({ params, body: { stage: 'proposal', value: 10 } });
  expect([both.status, both.data.stage]).toEqual([200, 'proposal']);
});

it('a required custom field can be 0, a required value cannot', async () => {
  const api = service.as();
  const params = await aDealWith(api, { requiredFields: { proposal: ['value', 'customFields.seats'] } });
  const move = () => api.moveOpportunity({ params, body: { stage: 'proposal' } });
  await api.updateOpportunity({ params, body: { customFields: { seats: 0 } } });
  expect((await move()).body.errors?.map(({ field }: { field: string }) => field)).toEqual(['value']);
  await api.updateOpportunity({ params, body: { value: 10 } });
  expect((await move()).status).toBe(200);
});

it('a new deal has the fields that its stage requires, also one that a lead is converted to', async () => {
  const api = service.as();
  await aDealWith(api, {
    noSkip: true,
    requiredFields: { prospecting: ['value'], proposal: ['ownerId', 'customFields.seats'] },
  });
  const { data: stages } = await api.listStatuses({ query: { entityType: 'opportunity' } });
  const stageId = stages.find(({ code }: { code: string }) => code === 'proposal').id;
  const { data: lead } = await api.createLead({ body: aLead() });
  const create = (body: object) => api.createOpportunity({ body: { name: 'Rollout', ...body } });
  const convert = (body: object) => api.convertLead({ body: { leadId: lead.id, ...body } });
  const fields = async ({ status, body }: Awaited<ReturnType<typeof create>>) => [
    status,
    body.errors?.map(({ field }: { field: string }) => field),
  ];
  for (const open of [create, convert]) {
    expect(await fields(await open({}))).toEqual([422, ['value']]);
    expect(await fields(await open({ stageId, ownerId: null }))).toEqual([422, ['ownerId', 'customFields.seats']]);
    expect((await open({ stageId, customFields: { seats: 0 } })).status).toBe(201);
  }
  expect((await create({ value: 5 })).data.stage).toBe('prospecting');
});

it('a deal is closed with a reason of the list that is active and for the outcome', async () => {
  const api = service.as();
  const params = await aDealWith(api, {});
  const unknown = await api.loseOpportunity({ params, body: { reasonCode: 'weather' } });
  expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'reasonCode']);
  const { data: reason } = await api.createWinLossReason({
    body: { code: 'weather', name: 'Bad weather', outcome: 'lost' },
  });
  expect((await api.winOpportunity({ params, body: { reasonCode: 'weather' } })).status).toBe(422);
  await api.updateWinLossReason({ params: { id: reason.id }, body: { active: false } });
  expect((await api.loseOpportunity({ params, body: { reasonCode: 'weather' } })).status).toBe(422);
  await api.updateWinLossReason({ params: { id: reason.id }, body: { active: true } });
  expect((await api.loseOpportunity({ params, body: { reasonCode: 'weather' } })).status).toBe(200);
  expect((await api.getOpportunityOutcome({ params })).data).toMatchObject({ result: 'lost', reason: 'Bad weather' });
});
