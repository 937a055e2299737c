import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

it('returns the values that definitions for leads refuse, by change and key', async () => {
  const api = service.as();
  const define = (body: object) => api.createCustomField({ body: { label: 'Label', ...body } });
  await define({ entityType: 'lead', key: 'seats', type: 'number' });
  await define({ entityType: 'lead', key: 'tier', type: 'text', required: true });
  await define({ entityType: 'account', key: 'size', type: 'number' });
  const changes = [{ seats: 3, size: 'large' }, { seats: 'many' }, { tier: null }, { other: {} }];
  const within = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
  expect((await within.checkCustomFieldValues({ body: { changes } })).data).toEqual([
    { index: 1, key: 'seats', message: 'Must be a number' },
    { index: 2, key: 'tier', message: 'Is required: Label' },
  ]);
  expect((await service.as({ type: 'system' }).checkCustomFieldValues({ body: { changes } })).data).toEqual([]);
});
