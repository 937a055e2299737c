import { until } from '@tandem/testing';
import { anApprovedPartner, aPartner, type Service, startPartner } from '../../partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

it('changes the given fields, once', async () => {
  const api = service.as();
  const { data } = await api.createPartner({ body: aPartner({ phone: '+49 170 1234567', company: 'Hut 6' }) });
  const params = { id: data.id };
  const body = { phone: null, company: 'Hut 8', lastName: 'Turing', customFields: { desk: 4 } };
  const updated = await api.updatePartner({ params, body });
  expect([updated.status, updated.data]).toMatchObject([200, { ...body, version: 2, tier: 'bronze' }]);
  expect((await api.updatePartner({ params, body })).data.version).toBe(2);
  const event = await until('the change is an event', () =>
    service.events.find(({ name, target }) => name === 'partner.updated' && target.id === Number(data.id)),
  );
  expect(event.changes).toMatchObject({ company: { from: 'Hut 6', to: 'Hut 8' } });
});

it('rejects a stale version, invalid values and partners of others, and changes nothing', async () => {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  const params = { id };
  const stale = await api.updatePartner({ params, body: { company: 'X' }, headers: { 'if-match': '"1"' } });
  const invalid = await api.updatePartner({ params, body: { tier: 'tin', firstName: '', phone: '1' } });
  const foreign = await service.as().updatePartner({ params, body: { company: 'X' } });
  expect([stale.status, invalid.status, foreign.status]).toEqual([412, 422, 404]);
  expect(invalid.body.errors?.map(({ field }) => field).sort()).toEqual(['firstName', 'phone', 'tier']);
  expect((await api.getPartner({ params })).data).toMatchObject({ company: null, version: 2 });
});

it('needs partners:manage to change the tier, and records who did', async () => {
  const api = service.as({ can: ['partners:write', 'partners:read'] });
  const { data } = await api.createPartner({ body: aPartner() });
  const params = { id: data.id };
  expect((await api.updatePartner({ params, body: { tier: 'gold' } })).status).toBe(403);
  expect((await api.updatePartner({ params, body: { tierLocked: false } })).status).toBe(403);
  const manager = service.as({ tenantId: api.caller.tenantId as number });
  expect((await manager.updatePartner({ params, body: { tier: 'gold' } })).data.tier).toBe('gold');
  const { data: changes } = await api.listTierChanges({ params });
  expect(changes[0]).toMatchObject({ from: 'bronze', to: 'gold', cause: 'manual' });
  expect(changes[0].createdBy).not.toBeNull();
});
