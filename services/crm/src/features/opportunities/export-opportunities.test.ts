import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

it('a won opportunity is exported with the time at which it was recorded as won', async () => {
  const api = service.as();
  const open = async () => {
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data } = await api.convertLead({ body: { leadId: lead.id, value: 100, currency: 'EUR' } });
    return { params: { id: data.id as string }, createdAt: data.createdAt as string };
  };
  const [won, lost] = [await open(), await open(), await open()];
  const { data: winner } = await api.winOpportunity({ params: won.params, body: { closedAt: won.createdAt } });
  await api.loseOpportunity({ params: lost.params, body: {} });
  const system = service.as({ ...api.caller, type: 'system', name: 'partner', can: [] });
  const { data } = await system.exportOpportunities({ body: { after: null } });
  const [first, second, third] = (data as { wonAt: string | null }[]).map(({ wonAt }) => wonAt);
  expect([second, third]).toEqual([null, null]);
  expect(winner.closedAt).toBe(won.createdAt);
  // Set just before the database sets `updatedAt`.
  expect(Math.abs(Date.parse(first as string) - Date.parse(winner.updatedAt))).toBeLessThan(1_000);
});

it('a won opportunity keeps this time when its stage is replaced by another one', async () => {
  const api = service.as();
  const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR' } });
  const { data: won } = await api.winOpportunity({ params: { id: deal.id }, body: {} });
  const body = { entityType: 'opportunity', code: 'signed', name: 'Signed', isClosed: true, isWon: true };
  const { data: stage } = await api.createStatus({ body });
  const system = service.as({ ...api.caller, type: 'system', name: 'partner', can: [] });
  const exported = async () => (await system.exportOpportunities({ body: { after: null } })).data[0];
  const { wonAt } = await exported();
  await api.deleteStatus({ params: { id: won.stageId }, query: { replaceWithId: stage.id } });
  expect(await exported()).toMatchObject({ record: { stage: 'signed', version: 3 }, wonAt });
  const history = await api.listStageHistory({ params: { id: deal.id }, query: { sort: 'enteredAt' } });
  expect(history.data.map((one: { stage: string }) => one.stage)).toEqual(['prospecting', 'won', 'signed']);
});
