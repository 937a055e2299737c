import { isOfPlatform, unknownId } from '@tandem/contract';
import type { Tables } from '@tandem/testing';
import type { Direct } from './direct.ts';
import { idPositions, type Position } from './positions.ts';
import type { World } from './records.ts';

/** The owner of a record that the caller must not access. */
export type Owner = 'another tenant' | 'the other environment';

/** The reason why a position accepts records of another owner, and a check of the reason. */
interface Exemption {
  owner?: Owner;
  because: string;
  /** Whether the reason still holds. */
  holds(position: Position, proof: Proof): boolean | Promise<boolean>;
}

interface Proof {
  own: World;
  sandbox: World;
  direct: Direct;
  tables: Record<string, Tables>;
}

const ofPlatform: Exemption = {
  because: 'the record belongs to the platform and is the same for every tenant',
  holds: ({ type }) => isOfPlatform(type),
};

const onAnyTenant: Exemption = {
  because: 'only the gateway and operators can call the operation, and they specify the tenant',
  holds: async (position, proof) => position.type === 'tenant' && (await isForServicesOnly(position, proof)),
};

const ofCaller: Exemption = {
  because: 'identity does not store partners; only the partner service calls the operation, with ids that it has read',
  holds: async (position, proof) =>
    !(`public.${position.type}` in (await (proof.tables[position.service] as Tables).states())) &&
    (await isForServicesOnly(position, proof)),
};

const ofRegistration: Exemption = {
  because:
    'crm does not store partners; only the partner service calls the operation, for a registration that it has read',
  holds: ofCaller.holds,
};

const ofSubmitter: Exemption = {
  because:
    'crm does not store partners; only the partner service names one, that of the portal session that submits the lead',
  holds: ofCaller.holds,
};

const namesEnvironment: Exemption = {
  owner: 'the other environment',
  because: 'the gateway has only the session token, so the response states the environment of the session',
  async holds({ row }, { sandbox, direct }) {
    const body = { tenantId: String(sandbox.scope.tenantId), sessionId: String(sandbox.records.session) };
    return (await direct.call(row.id, { body }, undefined)).environment === 'sandbox';
  },
};

const isPosition: Exemption = {
  owner: 'another tenant',
  because: 'the id is compared with those of the own events and not looked up, so it only says where the list begins',
  async holds(_, { own, direct }) {
    const query = { sort: 'id', limit: '100' };
    const events = await direct.call('listEvents', { query }, own.scope);
    const idsAfter = async (after: number) => {
      const found = await direct.call('listEvents', { query: { ...query, after: `${after}` } }, own.scope);
      return found.map(({ id }: { id: string }) => Number(id)).join();
    };
    const known: number[] = events.map(({ id }: { id: string }) => Number(id));
    // Every number up to the last event, among them those of the other tenants.
    const numbers = Array.from({ length: Math.min(known.at(-1) ?? 0, 50) }, (_none, index) => index + 1);
    const answers = await Promise.all(numbers.map(idsAfter));
    return answers.every((answer, index) => answer === known.filter((one) => one > (numbers[index] as number)).join());
  },
};

const onlyLeftOut: Exemption = {
  because: 'the session is left out of those that end; only services call the operation',
  holds: isForServicesOnly,
};

const isOpen: Exemption = {
  because: 'anybody can apply to any tenant with an open partner program; others refuse everybody',
  async holds({ row }, { own, direct }) {
    const person = { firstName: 'Joan', lastName: 'Clarke', password: 'a long phrase is best' };
    const body = { email: 'nobody@example.com', tenant: `${own.scope.tenantId}`, ...person };
    return (await direct.send(row, { body }, undefined)).body.code === 'registration_closed';
  },
};

const tellsNothing: Exemption = {
  because: 'the response is the same for every address and tenant, so that nobody learns who has an account',
  async holds({ row }, { own, direct }) {
    const answerFor = async (tenantId: number) => {
      // Without an account, so that no message is queued.
      const request = { body: { email: 'nobody@example.com', tenantId: `${tenantId}`, tenant: `${tenantId}` } };
      const { status, body } = await direct.send(row, request, undefined);
      return JSON.stringify([status, body.message, body.data]);
    };
    return (await answerFor(own.scope.tenantId)) === (await answerFor(9_999_999));
  },
};

const startsJob: Exemption = {
  because: 'an export starts a job for any filter; the test of exports compares the files',
  holds: (position) => isOfExport(position),
};

const refusesAny: Exemption = {
  because: 'a subtask cannot have subtasks, so the response is the same for every id',
  async holds({ row }, { own, direct }) {
    const answerFor = async (id: number) => {
      const body = { title: 'Prepare', parentSubtaskId: `${id}` };
      const { meta: _, ...rest } = (await direct.send(row, { params: { id: `${own.records.task}` }, body }, own.scope))
        .body;
      return JSON.stringify(rest);
    };
    return (await answerFor(own.records.subtask as number)) === (await answerFor(999_999_999_999));
  },
};

const needsToken: Exemption = {
  because: 'the sealed token of the link names the tenant; without a valid one nothing is read',
  async holds({ row }, { own, direct }) {
    const answerFor = async (id: number) =>
      (await direct.send(row, { params: { token: 'unknown' }, body: { topicId: `${id}` } }, undefined)).status;
    return (await answerFor(own.records.topic as number)) === 404 && (await answerFor(999_999_999_999)) === 404;
  },
};

const isAddress: Exemption = {
  because:
    'anybody may follow the link of a code, which names its tenant; without such a code nothing is said about a tenant',
  async holds({ row }, { own, direct }) {
    const answerFor = async (tenantId: number) => {
      const request = { params: { tenant: `${tenantId}`, code: 'NOBODYS' } };
      const { meta: _, ...rest } = (await direct.send(row, request, undefined)).body;
      return JSON.stringify(rest);
    };
    const missing = await answerFor(9_999_999);
    return missing.includes('not_found') && (await answerFor(own.scope.tenantId)) === missing;
  },
};

const hasOneField: Exemption = {
  because: 'a part of an audience has exactly one field, and the other tests fill all of them',
  async holds({ row, path: [side = 'include', , field], type }, { own, sandbox, direct }) {
    const answerFor = async (id: number) => {
      const part = field === 'segmentId' ? { segmentId: `${id}` } : { leadIds: [`${id}`] };
      const body = { include: [], exclude: [], [side]: [part] };
      const sent = await direct.send(row, { params: { id: `${own.records.campaign}` }, body }, own.scope);
      const { meta: _, ...rest } = sent.body;
      return JSON.stringify(rest);
    };
    const missing = await answerFor(999_999_999_999);
    const foreign = await answerFor(sandbox.records[type] as number);
    return foreign === missing && (await answerFor(own.records[type] as number)) !== missing;
  },
};

const ofOneVariant: Exemption = {
  because: 'the variants of a test have different keys, and the other tests fill several of them alike',
  async holds({ row, path, type }, { own, sandbox, direct }) {
    // Every request has an error, so that it changes nothing: an unknown workflow, or the page itself as a variant.
    const errorsFor = async (id: number) => {
      const ofPage = type === 'landing_page';
      const change = ofPage ? { override: { landingPageId: `${id}` } } : { templateId: `${id}` };
      const body = {
        name: 'Test',
        ...(ofPage
          ? { target: 'landing_page', metric: 'conversion', landingPageId: `${own.records.landing_page}` }
          : { target: 'template', metric: 'open', workflowId: '999999999999' }),
        variants: [
          { key: 'original', weight: 50 },
          { key: 'other', weight: 50, ...change },
        ],
      };
      const params = { id: `${own.records.campaign}`, testId: `${own.records.ab_test}` };
      return JSON.stringify((await direct.send(row, { params, body }, own.scope)).body.errors);
    };
    const error = { field: ['variants', '1', ...path.slice(2)].join('.'), message: unknownId(type) };
    const refusal = JSON.stringify(error);
    const missing = await errorsFor(999_999_999_999);
    const foreign = await errorsFor(sandbox.records[type] as number);
    return (
      missing.includes(refusal) &&
      foreign === missing &&
      !(await errorsFor(own.records[type] as number)).includes(refusal)
    );
  },
};

const ofServices: Exemption = {
  because: 'only services of the platform can ingest events',
  async holds({ row }, { own, direct }) {
    const body = { eventType: 'visit', eventId: 'one', leadId: `${own.records.lead}` };
    return (await direct.send(row, { body }, own.scope)).status === 403;
  },
};

/** Whether a position is in the filter of an export. */
export function isOfExport({ row, part, path }: Position): boolean {
  return row.path.endsWith(':export') && part === 'body' && path[0] === 'filter';
}

const ofExports = idPositions().filter(isOfExport);

const counts: Exemption = {
  because:
    'the operation only counts: the id is a condition on the rows of the tenant, and the example finds none of them',
  holds: ({ row }) => row.permission === 'analytics:read' && !row.emits?.length,
};

const isCondition: Exemption = {
  because: 'the id is a condition on the leads of the tenant; that of another owner is on none of them',
  holds: ({ row, path }) => row.path.startsWith('/v1/analytics/cohort-definitions') && path[0] === 'filter',
};

const storesOthers: Exemption = {
  because:
    'the other events of the batch are stored; an unknown lead is rejected by the check of recordEvent, which is tested',
  holds: ({ row }) => row.id === 'recordEvents' && idPositions().some(({ name }) => name === 'recordEvent body.leadId'),
};

/** Positions in which a record of another owner is not tested. */
export const exemptions: Readonly<Record<string, Exemption>> = {
  ...Object.fromEntries(ofExports.map(({ name }) => [name, startsJob])),
  'activateAddon params.addonId': ofPlatform,
  'createAbTest body.variants.*.override.landingPageId': ofOneVariant,
  'createAbTest body.variants.*.templateId': ofOneVariant,
  'createCohortDefinition body.filter.assignedTo': isCondition,
  'createCohortDefinition body.filter.partnerId': isCondition,
  'createCohortDefinition body.filter.teamId': isCondition,
  'createSubtask body.parentSubtaskId': refusesAny,
  'deleteTenant body.tenantId': onAnyTenant,
  'endPortalSessions body.exceptSessionId': onlyLeftOut,
  'followReferralLink params.tenant': isAddress,
  'forgotPassword body.tenantId': tellsNothing,
  'forgotPortalPassword body.tenant': tellsNothing,
  'getAddon params.addonId': ofPlatform,
  'getFunnel query.pipelineId': counts,
  'getAddonCatalogItem params.addonId': ofPlatform,
  'getAddonConfig params.addonId': ofPlatform,
  'installAddon params.addonId': ofPlatform,
  'ingestWorkflowEvent body.leadId': ofServices,
  'listEvents query.after': isPosition,
  'listTenants body.after': onAnyTenant,
  'openPortalSession body.partnerId': ofCaller,
  'openRegisteredDeal body.dealRegistrationId': ofRegistration,
  'openRegisteredDeal body.partnerId': ofRegistration,
  'openPortalSession body.portalUserId': ofCaller,
  'queryFunnel body.filter.assignedTo': counts,
  'queryFunnel body.filter.partnerId': counts,
  'queryFunnel body.filter.teamId': counts,
  'readUsage body.tenantId': onAnyTenant,
  'recordEvents body.events.*.leadId': storesOthers,
  'recordRefusals body.refusals.*.tenantId': onAnyTenant,
  'recordUsage body.calls.*.tenantId': onAnyTenant,
  'rehashAddresses body.after': onAnyTenant,
  'reportUsage body.parts.*.tenantId': onAnyTenant,
  'reportUsage body.served.*.tenantId': onAnyTenant,
  'registerPartner body.tenant': isOpen,
  'updateCohortDefinition body.filter.assignedTo': isCondition,
  'updateCohortDefinition body.filter.partnerId': isCondition,
  'updateCohortDefinition body.filter.teamId': isCondition,
  'requestMagicLink body.tenant': tellsNothing,
  'resolveSession body.sessionId': namesEnvironment,
  'resumeTenant body.tenantId': onAnyTenant,
  'setAudience body.exclude.*.leadIds.*': hasOneField,
  'setAudience body.exclude.*.segmentId': hasOneField,
  'setAudience body.include.*.leadIds.*': hasOneField,
  'setAudience body.include.*.segmentId': hasOneField,
  'setSubscriptionStatus body.tenantId': onAnyTenant,
  'setTenantPlan body.tenantId': onAnyTenant,
  'showTenant body.tenantId': onAnyTenant,
  'suspendAddon params.addonId': ofPlatform,
  'suspendTenant body.tenantId': onAnyTenant,
  'uninstallAddon params.addonId': ofPlatform,
  'unsubscribe body.topicId': needsToken,
  'updateAbTest body.variants.*.override.landingPageId': ofOneVariant,
  'updateAbTest body.variants.*.templateId': ofOneVariant,
  'updateAddonConfig params.addonId': ofPlatform,
  'upgradeAddon params.addonId': ofPlatform,
  'upsertLeadByEmail body.partnerId': ofSubmitter,
  'verifyAuditChain body.tenantId': onAnyTenant,
};

/** Whether no tenant's user can call an operation, whatever their permissions. */
async function isForServicesOnly({ row }: Position, { own, direct }: Proof): Promise<boolean> {
  const { tenantId, userId } = own.scope;
  const asOwner = { type: 'user', tenantId, userId, permissions: ['*'] } as const;
  const { status } = await direct.send(row, { body: {} }, own.scope, asOwner);
  return row.audience === 'internal' && status === 403;
}
