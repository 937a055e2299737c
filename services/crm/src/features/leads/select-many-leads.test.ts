import type { crm } from '@tandem/crm-contract';
import { type Explain, openExplain, type TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

const fillTimeoutMs = 300_000;

let service: TestService<typeof crm>;
let api: ReturnType<TestService<typeof crm>['as']>;
let explain: Explain;
beforeAll(async () => {
  service = await startCrm();
  api = service.as();
  explain = await openExplain(service, api.caller, { recordsMax: { custom_field: 0 } });
}, fillTimeoutMs);
afterAll(async () => {
  await explain?.close();
  await service?.close();
});

it.each([
  { tag: 'none' },
  { search: 'nobody' },
  { customFields: { account: 'none' } },
  { search: 'nobody', status: 'new' },
])('a bulk change by %j reads no leads that do not match', async (filter) => {
  const body = { filter, expectedCount: 1, change: { tags: ['vip'] } };
  const statements = await explain.capture(async () => {
    const reply = await api.bulkUpdateLeads({ body });
    expect([reply.status, reply.body.code]).toEqual([409, 'count_changed']);
  });
  expect(await explain.readsFewRecords(statements)).toBe(true);
});
