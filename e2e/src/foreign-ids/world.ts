import { randomBytes } from 'node:crypto';
import { type ResourceType, unionNumber } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aPdf } from '../a-pdf.ts';
import { createCommissions } from './commissions.ts';
import type { DirectRequest, Scope } from './direct.ts';
import { aFlow, anAbTest, anExecution, createMarketing } from './marketing.ts';
import type { Setup, SharedRecords, World } from './records.ts';
import { createReports } from './reports.ts';
import { createTraining } from './training.ts';
import { uniqueEmail } from './unique-email.ts';

export const password = 'correct horse battery';

const unique = (name: string) => `${name} ${randomBytes(6).toString('hex')}`;
const grace = { firstName: 'Grace', lastName: 'Hopper' };

/** Signs up a tenant and creates its records that live and sandbox share. */
export async function sharedRecords({ direct }: Setup): Promise<SharedRecords> {
  const email = uniqueEmail();
  const owner = { email, password, ...grace };
  const signedUp = await direct.call('createTenant', { body: { name: 'A tenant', owner } }, undefined);
  const [tenantId, userId] = [Number(signedUp.tenant.id), Number(signedUp.user.id)];
  const call = (id: string, request: DirectRequest = {}) =>
    direct.call(id, request, { tenantId, userId, environment: 'live' });
  const role = await call('createRole', { body: { name: unique('Sales'), permissions: ['leads:read'] } });
  const team = await call('createTeam', { body: { name: unique('Sales') } });
  const person = { email: uniqueEmail(), password, ...grace, roleId: role.id, teamIds: [team.id] };
  const user = await call('createUser', { body: person });
  await call('createUser', { body: { email: uniqueEmail(), password, ...grace, managerId: user.id } });
  const invitation = await call('inviteUser', { body: { email: uniqueEmail(), roleId: role.id, teamIds: [team.id] } });
  const key = await call('createApiKey', { body: { name: 'A key' } });
  const domain = await call('addSsoDomain', { body: { domain: `${randomBytes(6).toString('hex')}.example.com` } });
  const [[subscription], [addon]] = [await call('listSubscriptions'), await call('listAddonCatalog')];
  const asUser = { tenantId, userId: Number(user.id), environment: 'live' } as const;
  const byKey = { type: 'key', userId, keyId: Number(key.id), onBehalfOf: Number(user.id) } as const;
  const notice = { title: 'Done', body: 'Your import is done', userIds: [String(userId)] };
  const actions = [{ id: 'open', label: 'Open', type: 'url', url: '/v1/leads' }];
  const { notifications } = await call('createNotification', { body: { ...notice, actions } });
  await direct.call('createApiKey', { body: { name: 'A key of the user' } }, asUser);
  await call('createTeam', { body: { name: unique('Inside sales'), parentTeamId: team.id } });
  await direct.call('createTeam', { body: { name: unique('Support') } }, asUser);
  await direct.call('createTeam', { body: { name: unique('Support') } }, asUser, byKey);
  const entryWith = (query: Record<string, string>) =>
    until('the audit log has an entry', async () => (await call('listAuditLogs', { query }))[0]);
  await entryWith({ actorId: user.id });
  const auditLog = await entryWith({ keyId: key.id, onBehalfOfId: user.id });
  return {
    tenantId,
    userId,
    email,
    fullKey: key.fullKey,
    records: {
      tenant: tenantId,
      learner: unionNumber('learner', 'user', Number(user.id)),
      ...numbers({ role, team, user, api_key: key, subscription, addon, audit_log: auditLog, sso_domain: domain }),
      ...numbers({ notification: notifications[0], invitation }),
    },
  };
}

/** Settings that the records need: authorizations of connections. The provider is not called. */
export const worldSettings = { OAUTH_SLACK_CLIENT_ID: 'tandem', OAUTH_SLACK_CLIENT_SECRET: 'ThisIsOnlyATest' };

/** Creates the records of a tenant in one environment. */
export async function createWorld(
  setup: Setup,
  shared: SharedRecords,
  environment: Scope['environment'],
): Promise<World> {
  const { direct, ids, receiverUrl } = setup;
  const { tenantId, userId } = shared;
  const scope = { tenantId, userId, environment };
  const call = (id: string, request: DirectRequest = {}) => direct.call(id, request, scope);
  const first = (id: string, query: Record<string, string>, params: Record<string, string> = {}) =>
    until(`${id} finds a record`, async () => (await call(id, { query, params }))[0]);
  const [user, team] = [String(shared.records.user), String(shared.records.team)];
  const ofTeam = { teamIds: [Number(team)] };
  const inTeam = (id: string, request: DirectRequest) => direct.call(id, request, scope, ofTeam);
  const ofUser = { ownerId: user, teamId: team };
  const account = await call('createAccount', { body: { name: 'Analytical Engines', ...ofUser } });
  const subsidiary = await call('createAccount', { body: { name: 'A subsidiary', parentAccountId: account.id } });
  const aLead = async () =>
    call('createLead', {
      body: { email: uniqueEmail(), ...grace, assignedTo: user, teamId: team, accountId: account.id },
    });

  // First, so that it receives the events of the records that follow.
  const webhook = await call('createWebhook', { body: { url: receiverUrl, events: ['*'] } });

  const { connectionId } = await call('authorizeConnection', { params: { provider: 'slack' }, body: {} });
  // The connection is not authorized, so its runs wait.
  const config = await call('createConnectorConfig', {
    body: { connectorKey: 'slack', connectionId, settings: { events: ['lead.created'], channel: 'C1' } },
  });

  // Not named like the leads: a referral of somebody with the name and the domain of the partner earns nothing.
  const joan = { firstName: 'Joan', lastName: 'Clarke' };
  const partner = await call('createPartner', { body: { email: uniqueEmail(), ...joan } });
  await call('approvePartner', { params: { id: partner.id }, body: {} });
  await call('createPartner', { body: { email: uniqueEmail(), ...joan, parentPartnerId: partner.id } });
  const [lead, openLead] = [await aLead(), await aLead()];
  const contact = { email: uniqueEmail(), ...grace };
  const registration = await call('createDealRegistration', {
    body: { partnerId: partner.id, company: 'Engines', contact },
  });
  for (const step of ['submitDealRegistration', 'approveDealRegistration'])
    await call(step, { params: { id: registration.id } });
  const referral = await call('createReferral', { body: { partnerId: partner.id, leadId: lead.id } });
  const referralCode = await call('createReferralCode', { params: { id: partner.id }, body: {} });
  const stages = await call('listStatuses', { query: { entityType: 'opportunity' } });
  const stage = stages.find(({ isDefault }: { isDefault: boolean }) => isDefault);
  const deal = { leadId: lead.id, ownerId: user, teamId: team, value: 1_000, currency: 'EUR' };
  const opportunity = await call('convertLead', { body: deal });
  const about = { leadId: lead.id, opportunityId: opportunity.id, assignedTo: user, teamId: team };
  const task = await call('createTask', { body: { title: 'Call back', ...about, partnerId: partner.id } });
  const activity = await direct.call(
    'createActivity',
    {
      body: {
        type: 'call',
        leadId: lead.id,
        opportunityId: opportunity.id,
        accountId: account.id,
        partnerId: partner.id,
      },
    },
    { ...scope, userId: Number(user) },
  );
  const ofTask = { params: { id: task.id } };
  const subtask = await call('createSubtask', { ...ofTask, body: { title: 'Prepare', assignedTo: user } });
  const rule = { name: 'Late', overdueMinutes: 60, target: { type: 'user', userId: user }, active: false };
  const escalationRule = await call('createEscalationRule', { body: rule });
  const reminder = await call('createTaskReminder', { ...ofTask, body: { remindAt: '2999-01-01T00:00:00Z' } });
  const calendar = await createCalendar(setup, { ...scope, userId: Number(user) }, about);
  // Last, because a closed opportunity leaves the default stage.
  const openOpportunity = await call('convertLead', { body: { leadId: (await aLead()).id } });
  await call('winOpportunity', { params: { id: opportunity.id }, body: {} });

  const campaign = await inTeam('createCampaign', { body: { name: 'Spring', status: 'active', ownerId: user } });
  const slug = randomBytes(6).toString('hex');
  const marketing = await createMarketing(setup, scope, lead, openLead);
  const { form: aForm } = marketing.records;
  const content = '<h1>Spring</h1>';
  const page = { name: 'Spring', slug, content, campaignId: campaign.id, formId: aForm.id, ownerId: user };
  const landingPage = await inTeam('createLandingPage', { body: page });
  await call('publishLandingPage', { params: { id: landingPage.id }, body: {} });
  const flow = { ...aFlow, campaignId: campaign.id, ownerId: user };
  const workflow = await inTeam('createWorkflow', { body: flow });
  const execution = await anExecution(setup, scope, workflow.id, lead.id);
  const abTest = await anAbTest(setup, scope, campaign.id);
  const message = await first('listMessages', { workflowId: workflow.id });

  const form = new FormData();
  form.append('file', new Blob(['Numbers'], { type: 'text/plain' }), 'notes.txt');
  const file = await call('uploadFile', { form });
  const ocrJob = await call('startOcr', { params: { id: file.id }, body: {} });
  const signature = await aSignatureRequest(setup, scope);
  const [leadImport, accountImport, opportunityImport] = [
    await anImport(setup, scope, 'Lead', 'email\ngrace@example.com\n'),
    await anImport(setup, scope, 'Account', 'name\nEngines\n'),
    await anImport(setup, scope, 'Opportunity', 'name\nRollout\n'),
  ];
  const aMaterial = (body: object) =>
    call('createCoMarketingResource', { body: { name: 'Banner', category: 'images', ...body } });
  const material = await aMaterial({ sourceType: 'file', fileId: file.id });
  const ofPage = await aMaterial({ sourceType: 'landing-page', landingPageId: landingPage.id });
  const ofCampaign = await aMaterial({ sourceType: 'campaign', campaignId: campaign.id });

  const portalEmail = uniqueEmail();
  const portalBody = { email: portalEmail, password, role: 'owner' };
  const portalUser = await call('createPortalUser', { params: { id: partner.id }, body: portalBody });

  const milestone = await call('createMilestone', {
    params: { oid: opportunity.id },
    body: { title: 'Contract sent' },
  });
  const aQuota = { period: '2031-Q1', amount: 60_000, currency: 'EUR' };
  const quota = await call('createQuota', { body: { ...aQuota, ownerId: user } });
  await call('createQuota', { body: { ...aQuota, teamId: team } });
  await call('submitForecast', { body: { ...aQuota, ownerId: user } });

  const { completedCourse, ...learning } = await createTraining(direct, {
    scope,
    userId: Number(user),
    partnerId: Number(partner.id),
  });

  const commissions = await createCommissions(direct, { scope, partnerId: partner.id });

  await call('recordEvent', { body: { eventType: 'page_visit', leadId: lead.id } });
  const dataExport = await call('createExport', { body: { source: 'events', format: 'csv' } });
  const [agent] = await call('listAgents', { query: { kind: 'recommender' } });
  const run = (leadId: string) =>
    call('runAgentInBulk', {
      params: { id: agent.id },
      body: { leadIds: [ids.encode('lead', tenantId, Number(leadId))] },
    });
  const { bulkRunId, results } = await run(lead.id);
  const connectorRun = await first('listConnectorRuns', {}, { id: config.id });
  const recommendation = await first('listRecommendations', { leadId: lead.id });
  await call('updateAgent', { params: { id: agent.id }, body: { approvalPolicy: 'always' } });
  await run(openLead.id);
  const approval = await first('listApprovals', { agentId: agent.id });
  const agentSchedule = await call('createAgentSchedule', { body: aDailyRun(agent.id, lead.id) });

  const pipeline = await call('createPipeline', { body: { name: 'Renewals' } });
  const firstStage = { entityType: 'opportunity', pipelineId: pipeline.id, code: `first_${slug}`, name: 'First' };
  await call('createStatus', { body: firstStage });
  const renewal = { name: 'Renewal', value: 1_000, currency: 'EUR', pipelineId: pipeline.id, partnerId: partner.id };
  await call('createOpportunity', { body: renewal });
  const reason = { outcome: 'lost', code: 'no_reply', name: 'No reply' };
  const winLossReason = await call('createWinLossReason', { body: reason });
  const aCustomField = { entityType: 'lead', key: 'seats', label: 'Seats', type: 'number' };
  const customField = await call('createCustomField', { body: aCustomField });
  // Not active, so that they change no other record.
  const scoringBody = { name: 'Has a phone', field: 'phone', operator: 'is_set', points: 5, active: false };
  const scoringRule = await call('createScoringRule', { body: scoringBody });
  const assignmentBody = { name: 'Sales', teamId: team, method: 'round_robin', active: false };
  const assignmentRule = await call('createAssignmentRule', { body: assignmentBody });

  const aView = { resource: 'leads', name: 'Hot leads', visibility: 'tenant' };
  const view = await call('createView', { body: aView });

  const reports = await createReports(setup, { scope });

  const pair = await first('listLeadDuplicates', { status: 'open' });
  for (const id of ['twin', 'other-twin'])
    await call('indexDocument', { body: { type: 'partner', id, data: { email: 'twins@example.com' } } });
  const twins = await first('listDuplicates', { type: 'partner' });
  const aStranger = (firstName: string) =>
    call('createLead', { body: { email: uniqueEmail(), firstName, lastName: 'Antonelli' } });
  const [kept, merged] = [await aStranger('Kathleen'), await aStranger('Ida')];
  const merge = await call('mergeLeads', { params: { id: kept.id }, body: { mergeIds: [merged.id] } });

  await first('listPartnerCommissions', { opportunityId: opportunity.id }, { id: partner.id });
  await first('searchLeads', { q: grace.lastName, assignedTo: user });
  const event = await first('listEvents', { sort: 'id' });
  const delivery = await first('listDeliveries', {}, { id: webhook.id });
  const selected = { filter: { search: openLead.email }, expectedCount: 1 };
  const job = await call('bulkUpdateLeads', { body: { ...selected, change: { tags: ['fair'] } } });
  const rebuild = await call('reindex', { body: { types: ['partner'] } });
  const separate = {
    ...numbers({
      webhook,
      partner,
      lead,
      opportunity,
      account,
      activity,
      task,
      subtask,
      reminder,
      escalation_rule: escalationRule,
      campaign,
      workflow,
      file,
      file_version: { id: file.versionId },
      ocr_job: ocrJob,
      agent,
    }),
    ...numbers({ ...learning, ...commissions }),
    ...numbers({ recommendation, approval, event, delivery, status_definition: stage, landing_page: landingPage }),
    ...numbers({
      co_marketing_resource: material,
      deal_registration: registration,
      portal_user: portalUser,
      job: { id: job.jobId },
      view,
    }),
    ...numbers({ connection: { id: connectionId }, connector_config: config, connector_run: connectorRun }),
    ...numbers({ scoring_rule: scoringRule, assignment_rule: assignmentRule }),
    ...numbers({
      bulk_run: { id: bulkRunId },
      execution: { id: results[0].executionId },
      agent_schedule: agentSchedule,
    }),
    ...numbers({ referral, referral_code: referralCode }),
    ...numbers({ duplicate_pair: pair, duplicate: twins, lead_merge: { id: merge.mergeId } }),
    ...numbers({ custom_field: customField, milestone, quota, pipeline, win_loss_reason: winLossReason }),
    ...numbers({ ...calendar, ...reports, import: leadImport, export: dataExport }),
    ...numbers({
      signature_request: signature,
      signer: signature.signers[0],
      signature_field: signature.fields[0],
    }),
    ...numbers({ ...marketing.records, workflow_execution: execution, message, ab_test: abTest }),
    session: await portalSession(setup, scope, portalEmail),
  };
  return {
    scope: { ...scope, partnerId: separate.partner, portalUserId: separate.portal_user },
    email: shared.email,
    portalEmail,
    openLead: Number(openLead.id),
    openOpportunity: Number(openOpportunity.id),
    subsidiary: Number(subsidiary.id),
    filterSegment: Number(marketing.filterSegment.id),
    accountImport: Number(accountImport.id),
    reindexJob: Number(rebuild.jobId),
    completedCourse: Number(completedCourse.id),
    opportunityImport: Number(opportunityImport.id),
    materials: { file: Number(material.id), landingPage: Number(ofPage.id), campaign: Number(ofCampaign.id) },
    records: { ...shared.records, ...separate },
    separate,
  };
}

/** A schedule that runs an agent for a lead every day. */
export function aDailyRun(agentId: string, leadId: string) {
  return { agentId, name: 'Daily', cron: '0 9 * * *', timezone: 'UTC', target: { leadIds: [leadId] } };
}

/** Creates a draft, which has not been sent to anybody. */
async function aSignatureRequest({ direct }: Setup, scope: Scope) {
  const form = new FormData();
  form.append('file', new Blob([aPdf()], { type: 'application/pdf' }), 'contract.pdf');
  const file = await direct.call('uploadFile', { form }, scope);
  const signers = [{ name: 'Ada Lovelace', email: uniqueEmail() }];
  const fields = [{ type: 'signature', page: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.1, signerIndex: 0 }];
  const body = { signers, fields, send: false };
  return direct.call('createSignatureRequest', { params: { id: file.id }, body }, scope);
}

/** The period of the calendar records. */
export const calendarPeriod = { from: '2031-03-01T00:00:00Z', to: '2031-03-15T00:00:00Z' };

/** Creates the calendar records of the user of the scope. */
async function createCalendar(
  { direct }: Setup,
  scope: Scope,
  { leadId, opportunityId }: { leadId: string; opportunityId: string },
) {
  const call = (id: string, body: object) => direct.call(id, { body }, scope);
  const times = { startAt: '2031-03-03T10:00:00Z', endAt: '2031-03-03T11:00:00Z' };
  return {
    calendar_event: await call('createCalendarEvent', { title: 'Demo', ...times, leadId, opportunityId }),
    time_off: await call('createTimeOff', { from: '2031-03-10T00:00:00Z', to: '2031-03-11T00:00:00Z' }),
    booking_link: await call('createBookingLink', { title: 'First call', durationMinutes: 30 }),
  };
}

/** Creates an import that can start. */
async function anImport({ direct }: Setup, scope: Scope, type: 'Lead' | 'Account' | 'Opportunity', text: string) {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), 'records.csv');
  const { id: fileId } = await direct.call('uploadFile', { form }, scope);
  const { id } = await direct.call(`create${type}Import`, { body: { fileId } }, scope);
  const request = { params: { id } };
  await until('the import is validated', async () => {
    const { status } = await direct.call(`get${type}Import`, request, scope);
    return status === 'validated';
  });
  return { id };
}

/** Signs in to the portal; returns the id of the session. */
export async function portalSession({ direct, ids }: Setup, scope: Scope, email: string): Promise<number> {
  const body = { email, password, tenant: String(scope.tenantId) };
  const { token } = await direct.call('loginToPortal', { body }, scope);
  const sessionId = sessionIn(token, scope, ids);
  // Simulates the first request with the token. It updates lastSeenAt; requests within the next five minutes do not.
  const seen = { tenantId: String(scope.tenantId), sessionId: String(sessionId) };
  await direct.call('resolveSession', { body: seen }, undefined);
  return sessionId;
}

/** Signs in as a user; returns the id of the session. */
export async function userSession({ direct, ids }: Setup, scope: Scope, email: string): Promise<number> {
  const { accessToken } = await direct.call('login', { body: { email, password } }, undefined);
  return sessionIn(accessToken, scope, ids);
}

function sessionIn(token: string, scope: Scope, ids: IdCodec): number {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
  return ids.decode('session', scope.tenantId, sid) as number;
}

function numbers<Type extends ResourceType>(records: Record<Type, { id: string }>): Record<Type, number> {
  const entries = Object.entries(records as Record<string, { id: string }>);
  return Object.fromEntries(entries.map(([type, { id }]) => [type, Number(id)])) as Record<Type, number>;
}
