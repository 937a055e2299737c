import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

it('a lead is exported with the time of its current referral code', async () => {
  const api = service.as();
  const { data: coded } = await api.createLead({ body: aLead({ referralCode: 'ADA-2026' }) });
  const { data: later } = await api.createLead({ body: aLead() });
  await api.updateLead({ params: { id: coded.id }, body: { firstName: 'Augusta' } });
  const { data: updated } = await api.updateLead({ params: { id: later.id }, body: { referralCode: 'JOAN-2026' } });
  await api.createLead({ body: aLead() });
  const system = service.as({ ...api.caller, type: 'system', name: 'partner', can: [] });
  const { data } = await system.exportLeads({ body: { after: null } });
  const [first, second, third] = (data as { referredAt: string | null }[]).map(({ referredAt }) => referredAt);
  expect([first, third]).toEqual([coded.createdAt, null]);
  // Set just before the database sets `updatedAt`.
  expect(Math.abs(Date.parse(second as string) - Date.parse(updated.updatedAt))).toBeLessThan(1_000);
});

it('a lead is exported with the times of its statuses, however they changed', async () => {
  const api = service.as();
  const { data: changed } = await api.createLead({ body: aLead({ status: 'contacted' }) });
  const { data: now } = await api.changeLeadStatus({ params: { id: changed.id }, body: { status: 'unqualified' } });
  const { data: converted } = await api.createLead({ body: aLead() });
  expect((await api.convertLead({ body: { leadId: converted.id, currency: 'EUR' } })).status).toBe(201);
  const { data: unchanged } = await api.createLead({ body: aLead() });
  await api.updateLead({ params: { id: unchanged.id }, body: { firstName: 'Augusta' } });
  const system = service.as({ ...api.caller, type: 'system', name: 'analytics', can: [] });
  const { data } = await system.exportLeads({ body: { after: null } });
  const statuses = (data as { statuses: { status: string; at: string }[] }[]).map((lead) => lead.statuses);
  expect(statuses.map((ofLead) => ofLead.map(({ status }) => status))).toEqual([
    ['contacted', 'unqualified'],
    ['new', 'qualified'],
    ['new'],
  ]);
  // Those of its versions, as in its events.
  expect(statuses[0]?.map(({ at }) => at)).toEqual([changed.createdAt, now.updatedAt]);
});
