import { aPerson, until } from '@tandem/testing';
import { type Api, publish, type Service, startPartner } from '../../partner.test-service.ts';
import { aDraft, aSubmitted, dealOf } from '../deal-registrations/deals.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

const contact = { email: 'Ada@engines.example', firstName: 'Ada', lastName: 'Lovelace', phone: '+491701234567' };
const person = aPerson({ emails: ['ada@engines.example'] });

/** Asks partner to erase the data of the person, and waits for its report; the second run follows at once. */
async function erase(api: Api): Promise<Record<string, number>> {
  const target = { type: 'erasure', id: 1 };
  const data = { person, services: ['partner'] };
  const event = { name: 'personal_data.erasure_requested', target, data, record: { id: '1' } };
  await publish(service, api, event);
  return until('partner has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    const report = service.events.find(({ name }) => name === 'personal_data.erased');
    return (report?.data as { erased: Record<string, number> } | undefined)?.erased;
  });
}

it('the contact of registered deals is exported and erased, and the company stays protected', async () => {
  const api = service.as();
  const { id } = await aSubmitted(api, { contact, notes: 'Ask for Ada' });
  const other = await aDraft(api);
  const before = await dealOf(api, other.id);
  const system = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
  const { data } = await system.exportPerson({ body: { person } });
  const section = data.sections.find(({ name }: { name: string }) => name === 'dealRegistrations');
  expect([section.total, section.records[0].contact]).toEqual([1, contact]);
  expect(await erase(api)).toEqual({ dealRegistrations: 1 });
  const after = await dealOf(api, id);
  expect(JSON.stringify(after)).not.toMatch(/\bada\b|lovelace|\+?491701/i);
  expect(after).toMatchObject({ contact: { email: 'erased@erased.invalid' }, notes: null, status: 'submitted' });
  const stored = await service.sqlWithin(api.caller, `SELECT * FROM deal_registration WHERE id = ${id}`);
  expect(JSON.stringify(stored)).not.toMatch(/\bada\b/i);
  expect(await dealOf(api, other.id)).toEqual(before);
  const again = await aDraft(api, { companyDomain: 'engines.example' });
  expect((await api.submitDealRegistration({ params: { id: again.id } })).status).toBe(409);
});
