import { until } from '@tandem/testing';
import { monthOf } from './account.ts';
import { createAccounts } from './accounts.ts';

it('evicts accounts without a month after their window, even if they were never reported to Redis', async () => {
  const accounts = createAccounts(10);
  const [anonymous, tenant] = [accounts.of('ip:203.0.113.1'), accounts.of('t:1')];
  monthOf(tenant, { tenantId: 1, month: '2999-01', limit: 1, counts: true });
  for (const account of [anonymous, tenant]) accounts.unreported.add(account);
  await until('the account is evicted', () => {
    accounts.forgetIdle();
    return !accounts.find('ip:203.0.113.1');
  });
  expect([...accounts.unreported]).toEqual([tenant]);
});
