import { agents } from '@tandem/agents-contract';
import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import {
  entitlementsFrom,
  internalEntitlements,
  internalTenants,
  internalUsers,
  settingsReader,
  tenantSettingsFrom,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createLog, createShares } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { personalData, type ServiceDefinition } from '@tandem/service';
import { createTwilioDriver } from '@tandem/telephony';
import { crmOperations } from './crm-operations.ts';
import { defineAgents } from './features/agents/defaults.ts';
import { agentHandlers } from './features/agents/index.ts';
import { expireApproval } from './features/approvals/expire-approval.job.ts';
import { approvalHandlers } from './features/approvals/index.ts';
import { bulkRunHandlers } from './features/bulk-runs/index.ts';
import { checkCall } from './features/calls/check-call.job.ts';
import { hangUpCall } from './features/calls/hang-up-call.job.ts';
import { callHandlers } from './features/calls/index.ts';
import { observed } from './features/calls/observe.ts';
import { executionHandlers } from './features/executions/index.ts';
import { performApproved, runCall, runRecommendation } from './features/executions/run-execution.job.ts';
import { exportHandlers } from './features/exports/index.ts';
import { mergeFollowers } from './features/leads/follow-merges.ts';
import { nameHandlers } from './features/names/index.ts';
import { agentsData } from './features/personal-data/agents-data.ts';
import { recommendationHandlers } from './features/recommendations/index.ts';
import { performRecommendation } from './features/recommendations/perform-recommendation.job.ts';
import { scheduleHandlers } from './features/schedules/index.ts';
import { startScheduledRun } from './features/schedules/start-scheduled-run.job.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { AgentsSettings } from './settings.ts';

const callRetryMs = 15 * 60_000;
// The client of the provider has 64 connections, for all tenants.
const conversationsMax = 8;
// Jobs that wait for the telephone provider, whose driver has so many connections.
const jobsOutsideMax = 16;
// Waits at the provider, and rings for half a minute. Once the person has answered, the limit of the provider counts from then on.
const callDeadlineMs = 15 * 60_000;
// Longer than a request to the provider and its first reports.
const callLookupMs = 2 * 60_000;

/**
 * Definition of the agents service: a caller and a recommender for every tenant, and their executions.
 * @param overrides shorter delays, for tests
 */
export function agentsService(
  settings: AgentsSettings,
  overrides: Partial<Pick<Tools, 'callRetryMs' | 'callDeadlineMs' | 'callLookupMs'>> = {},
): ServiceDefinition<typeof agents, PrismaClient, AgentsSettings> {
  const common = { service: 'agents', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const crm = createServiceClient({ ...common, operations: crmOperations, baseUrl: settings.CRM_URL });
  const identity = createServiceClient({
    ...common,
    operations: { ...internalTenants, ...internalEntitlements, ...internalUsers },
    baseUrl: settings.IDENTITY_URL,
  });
  const log = createLog('agents');
  const entitlementsOf = cachedPerTenant({ ...entitlementsFrom(identity), log });
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const { telephony, measure } = observed(createTwilioDriver(settings));
  const tools: Tools = {
    ids,
    crm,
    identity,
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
    addonSettings: settingsReader(entitlementsOf),
    entitlementsOf,
    models: [...new Set([settings.AI_PROVIDER_MODEL, ...Object.keys(settings.AI_PROVIDER_PRICES)])],
    conversations: createShares(conversationsMax, Number.POSITIVE_INFINITY),
    asksModel: settings.AI_PROVIDER_API_KEY !== '',
    tokensPerDay: settings.AGENTS_TOKENS_PER_DAY,
    ai: createAi(settings, log),
    telephony,
    seal: createSeal(settings.ENCRYPTION_KEY),
    publicUrl: settings.PUBLIC_URL,
    callRetryMs,
    callDeadlineMs,
    callLookupMs,
    ...overrides,
  };
  const person = personalData('agents', agentsData);
  return {
    name: 'agents',
    operations: agents,
    handlers: {
      ...person.handlers,
      ...agentHandlers(tools),
      ...bulkRunHandlers(tools),
      ...executionHandlers(tools),
      ...callHandlers(tools),
      ...approvalHandlers(tools),
      ...recommendationHandlers(tools),
      ...scheduleHandlers(tools),
      ...nameHandlers,
      ...exportHandlers,
    },
    consumers: [...mergeFollowers.consumers, ...person.consumers],
    jobs: [
      runCall(tools),
      runRecommendation(tools),
      performApproved(tools),
      checkCall(tools),
      hangUpCall(tools),
      expireApproval,
      startScheduledRun(tools),
      performRecommendation(tools),
      ...mergeFollowers.jobs,
      ...person.jobs,
    ],
    jobsOutsideMax,
    firstUse: defineAgents,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    measure,
    settings,
    close: () => tools.ai.close(),
  };
}
