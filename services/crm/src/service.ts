import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client';
import { crm } from '@tandem/crm-contract';
import { internalUsers } from '@tandem/identity-contract';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { leadHandlers } from './features/leads/index.ts';
import { detectDuplicates } from './features/leads/on-lead-created.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type CrmSettings = ServiceSettings & { IDENTITY_URL: string };

/** The crm service: its contract, its handlers, and what it reacts to. */
export function crmService(settings: CrmSettings): ServiceDefinition<typeof crm, PrismaClient, CrmSettings> {
  const identity = createServiceClient({
    operations: internalUsers,
    baseUrl: settings.IDENTITY_URL,
    service: 'crm',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  return {
    name: 'crm',
    operations: crm,
    handlers: { ...leadHandlers({ identity }) },
    consumers: [detectDuplicates],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    owners: ['assignedTo', 'createdBy'],
    ownedThrough: { DuplicatePair: { firstLead: 'Lead', secondLead: 'Lead' } },
    purge: [{ table: 'lead', column: 'deleted_at', days: 30 }],
    settings,
  };
}
