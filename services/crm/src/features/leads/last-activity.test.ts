import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

it('shows the time of the last activity of a person, not of entries about the record', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const params = { id: lead.id };
  const occurredAt = '2026-01-02T03:04:05.000Z';
  await api.createActivity({ body: { type: 'call', leadId: lead.id, occurredAt } });
  await until('the entry about the creation exists', async () => {
    const { data } = await api.getLeadTimeline({ params });
    return data.some(({ kind }: { kind: string | null }) => kind === 'lead_created');
  });
  expect((await api.getLead({ params })).data.lastActivityAt).toBe(occurredAt);
});
