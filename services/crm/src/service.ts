import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { crm } from '@tandem/crm-contract';
import { internalTeams, internalTenants, internalUsers } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import type { ServiceDefinition } from '@tandem/service';
import { defineDefaults } from './features/config/defaults.ts';
import { statusHandlers } from './features/config/index.ts';
import { configAiHandlers } from './features/config-ai/index.ts';
import { leadHandlers } from './features/leads/index.ts';
import { detectDuplicates } from './features/leads/on-lead-changed.ts';
import { opportunityHandlers } from './features/opportunities/index.ts';
import { taskHandlers } from './features/tasks/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { CrmSettings } from './settings.ts';
import { tenantCurrency } from './tenant-currency.ts';

/** The crm service: its contract, its handlers, and what it reacts to. */
export function crmService(settings: CrmSettings): ServiceDefinition<typeof crm, PrismaClient, CrmSettings> {
  const identity = createServiceClient({
    operations: { ...internalUsers, ...internalTenants, ...internalTeams },
    baseUrl: settings.IDENTITY_URL,
    service: 'crm',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const peers = { identity, currencyOf: tenantCurrency({ identity }) };
  return {
    name: 'crm',
    operations: crm,
    handlers: {
      ...leadHandlers(peers),
      ...opportunityHandlers(peers),
      ...taskHandlers(peers),
      ...statusHandlers,
      ...configAiHandlers(createAi(settings, createLog('crm'))),
    },
    consumers: [detectDuplicates],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Lead: { owners: ['assignedTo', 'createdBy'], team: 'teamId' },
      DuplicatePair: { through: ['firstLead', 'secondLead'] },
      StatusDefinition: 'shared',
      Opportunity: { owners: ['ownerId', 'createdBy'], team: 'teamId' },
      Task: { owners: ['assignedTo', 'createdBy'], team: 'teamId' },
    },
    purge: [{ table: 'lead', column: 'deleted_at', days: 30 }],
    firstUse: defineDefaults,
    settings,
  };
}
