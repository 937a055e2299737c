import { accountCreated, accountRestored, accountUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { isPublicDomain } from '@tandem/matching';
import type { Tx } from '../../handler.ts';
import { matchLeads } from './match-leads.job.ts';

/** Schedules the job that gives an account the leads of its new domain. */
export const matchAccounts = consumer({
  name: 'match-accounts',
  on: [accountCreated, accountUpdated, accountRestored],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const accountIds = new Set(events.filter(hasNewDomain).map(({ record }) => record.id));
    if (!accountIds.size) return;
    await schedule(
      matchLeads,
      [...accountIds].map((accountId) => ({ accountId })),
    );
  },
});

type Event = Received<typeof accountCreated | typeof accountUpdated | typeof accountRestored>;

function hasNewDomain({ name, data, record }: Event): boolean {
  if (!record.domain || isPublicDomain(record.domain)) return false;
  return name !== 'account.updated' || (data as { fields: string[] }).fields.includes('domain');
}
