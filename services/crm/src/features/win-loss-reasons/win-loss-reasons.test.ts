import { type crm, reasonsMax } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

const reason = { outcome: 'lost', code: 'too_late', name: 'Too late' };

it('are a default set per outcome, with the number of deals that have each', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: deal } = await api.convertLead({ body: { leadId: lead.id, currency: 'EUR' } });
  await api.loseOpportunity({ params: { id: deal.id }, body: { reasonCode: 'price' } });
  const { data } = await api.listWinLossReasons({ query: { outcome: 'lost', sort: 'code' } });
  const counts = data.map((one: { code: string; usedCount: number }) => [one.code, one.usedCount]);
  expect(counts).toContainEqual(['price', 1]);
  expect(counts).toContainEqual(['competitor', 0]);
  const won = await api.listWinLossReasons({ query: { outcome: 'won', search: 'price' } });
  expect(won.data).toMatchObject([{ code: 'price', usedCount: 0, active: true }]);
  const params = { id: data.find((one: { code: string }) => one.code === 'price').id };
  const refused = await api.deleteWinLossReason({ params });
  expect([refused.status, refused.body.code]).toEqual([409, 'reason_in_use']);
  const off = await api.updateWinLossReason({ params, body: { active: false } });
  expect(off.data).toMatchObject({ active: false, usedCount: 1, version: 2 });
  expect((await api.listWinLossReasons({ query: { active: 'false' } })).data).toHaveLength(1);
});

it('are created, changed and deleted, with their events', async () => {
  const api = service.as();
  const { status, data } = await api.createWinLossReason({ body: reason });
  expect([status, data]).toMatchObject([201, { ...reason, active: true, usedCount: 0 }]);
  const params = { id: data.id };
  const headers = { 'If-Match': '"9-x"' };
  expect((await api.updateWinLossReason({ params, body: { name: 'Late' }, headers })).status).toBe(412);
  expect((await api.updateWinLossReason({ params, body: { name: 'Late' } })).data.name).toBe('Late');
  expect((await api.getWinLossReason({ params })).data).toMatchObject({ name: 'Late', version: 2 });
  expect((await api.deleteWinLossReason({ params })).data).toEqual({ id: data.id, deleted: true });
  expect((await api.getWinLossReason({ params })).status).toBe(404);
  const names = await until('the events arrive', () => {
    const found = service.events.filter(
      (one) => one.name.startsWith('win_loss_reason.') && one.tenantId === api.caller.tenantId,
    );
    return found.length === 3 ? found.map(({ name }) => name) : undefined;
  });
  expect(names).toEqual(['win_loss_reason.created', 'win_loss_reason.updated', 'win_loss_reason.deleted']);
});

it('are at most 200', async () => {
  const api = service.as();
  const listed = async () => (await api.listWinLossReasons({ query: { limit: '100' } })).data.length;
  const create = (index: number) => api.createWinLossReason({ body: { ...reason, code: `reason_${index}` } });
  for (let index = await listed(); index < reasonsMax; index++) expect((await create(index)).status).toBe(201);
  const { status, body } = await create(reasonsMax);
  expect([status, body.code]).toEqual([409, 'too_many_reasons']);
});

it('have a code once per outcome, even with concurrent requests', async () => {
  const api = service.as();
  const replies = await Promise.all([1, 2, 3].map(() => api.createWinLossReason({ body: reason })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await api.createWinLossReason({ body: { ...reason, outcome: 'won' } })).status).toBe(201);
  expect((await service.as().createWinLossReason({ body: reason })).status).toBe(201);
});
