import { agents } from '@tandem/agents-contract';
import { analytics } from '@tandem/analytics-contract';
import { campaign } from '@tandem/campaign-contract';
import type { Operation, Operations } from '@tandem/contract';
import { crm } from '@tandem/crm-contract';
import { files } from '@tandem/files-contract';
import { identity } from '@tandem/identity-contract';
import { integrations } from '@tandem/integrations-contract';
import { partner } from '@tandem/partner-contract';
import { search } from '@tandem/search-contract';
import { training } from '@tandem/training-contract';

/** The fleet: every service with the operations it offers. A new service is one line here. */
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

/** The operations that callers from outside can reach, each with the service it belongs to. */
export function publicOperations(services: Record<string, Operations> = fleet): { row: Operation; service: string }[] {
  return Object.entries(services).flatMap(([service, operations]) =>
    Object.values(operations)
      .filter((row) => row.audience !== 'internal')
      .map((row) => ({ row, service })),
  );
}
