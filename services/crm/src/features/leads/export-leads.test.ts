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
