import { agents } from '@tandem/agents-contract';
import { analytics } from '@tandem/analytics-contract';
import { campaign } from '@tandem/campaign-contract';
import { isOfJob, type Operation, type Operations } from '@tandem/contract';
import { crm } from '@tandem/crm-contract';
import { files } from '@tandem/files-contract';
import { identity } from '@tandem/identity-contract';
import { integrations } from '@tandem/integrations-contract';
import { partner } from '@tandem/partner-contract';
import { search } from '@tandem/search-contract';
import { training } from '@tandem/training-contract';

/** Every service of the fleet with its operations. A new service is one line here. */
export const fleet = {
  agents,
  analytics,
  campaign,
  crm,
  files,
  identity,
  integrations,
  partner,
  search,
  training,
} satisfies Record<string, Operations>;

/** The operations open to external callers, each with its service. */
export function publicOperations(services: Record<string, Operations> = fleet): { row: Operation; service: string }[] {
  const all = Object.entries(services).flatMap(([service, operations]) =>
    Object.values(operations)
      .filter((row) => row.audience !== 'internal')
      .map((row) => ({ row, service })),
  );
  // Several services have the rows of background jobs; the number of a job tells which of them (forward in gateway.ts).
  return all.filter(({ row }, index) => !isOfJob(row) || index === all.findIndex((one) => one.row === row));
}
