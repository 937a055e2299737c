import { randomBytes } from 'node:crypto';
import { type Operation, walkIds } from '@tandem/contract';
import { commissionPreparations, commissionRequests } from './commissions.ts';
import type { DirectRequest } from './direct.ts';
import { marketingPreparations, subjects } from './marketing.ts';
import type { Position } from './positions.ts';
import type { Setup, World } from './records.ts';
import { reportPreparations, reportRequests } from './reports.ts';
import { trainingPreparations, trainingRequests } from './training.ts';
import { uniqueEmail } from './unique-email.ts';
import { aDailyRun, calendarPeriod, password, portalSession, userSession } from './world.ts';

/** Bodies of the examples in the OpenAPI document, by operation. */
export type Examples = ReadonlyMap<string, object>;

/** Reads the examples from the document that the gateway serves. */
export async function readExamples(baseUrl: string): Promise<Examples> {
  interface Documented {
    operationId: string;
    requestBody?: { content: Record<string, { example?: object }> };
  }
  const document = await (await fetch(`${baseUrl}/v1/openapi.json`)).json();
  const paths = (document as { paths: Record<string, Record<string, Documented>> }).paths;
  return new Map(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, requestBody }) => {
        const example = requestBody?.content['application/json']?.example;
        return example ? [[operationId, example] as const] : [];
      }),
  );
}

const unique = (name: string) => `${name} ${randomBytes(6).toString('hex')}`;
const person = { firstName: 'Grace', lastName: 'Hopper' };
const sources: Record<string, [type: string, material: keyof World['materials']]> = {
  fileId: ['file', 'file'],
  landingPageId: ['landing-page', 'landingPage'],
  campaignId: ['campaign', 'campaign'],
};

type Parts = Pick<DirectRequest, 'params' | 'query' | 'body'>;

/**
 * Requests of operations whose example in the OpenAPI document cannot be sent as it is: there is no example, its values
 * must be unique or recent, or the operation checks another rule before it reads the ids. Ids are filled in later.
 */
const requests: Record<string, (world: World, position: Position) => Parts> = {
  ...commissionRequests,
  ...trainingRequests,
  ...reportRequests,
  addTeamMembers: () => ({ body: {} }),
  authorizeConnection: () => ({ params: { provider: 'slack' }, body: {} }),
  bulkAssignAccounts: (_, { path }) => ({ body: { ...selectionFor(path), ownerId: null } }),
  bulkAssignLeads: (_, { path }) => ({ body: { ...selectionFor(path), assignedTo: null } }),
  bulkAssignOpportunities: (_, { path }) => ({ body: { ...selectionFor(path), ownerId: null } }),
  bulkAssignTasks: (_, { path }) => ({ body: { ...selectionFor(path), assignedTo: null } }),
  bulkCompleteTasks: (_, { path }) => ({ body: selectionFor(path) }),
  bulkCreateAccounts: () => ({ body: { items: [{ name: 'Analytical Engines' }] } }),
  bulkDeleteAccounts: (_, { path }) => ({ body: selectionFor(path) }),
  bulkDeleteLeads: (_, { path }) => ({ body: selectionFor(path) }),
  bulkDeleteOpportunities: (_, { path }) => ({ body: selectionFor(path) }),
  bulkDeleteTasks: (_, { path }) => ({ body: selectionFor(path) }),
  bulkUpdateAccounts: (_, { path }) => ({ body: { ...selectionFor(path), change: { industry: 'steel' } } }),
  bulkUpdateLeads: (_, { path }) => ({ body: { ...selectionFor(path), change: { score: 5 } } }),
  bulkUpdateOpportunities: (_, { path }) => ({
    body: { ...selectionFor(path), change: { forecastCategory: 'commit' } },
  }),
  bulkUpdateTasks: (_, { path }) => ({ body: { ...selectionFor(path), change: { priority: 'low' } } }),
  bulkUpsertAccounts: () => ({ body: { key: 'externalId', items: [{ name: 'Engines', externalId: 'foreign' }] } }),
  bulkCreateLeads: () => ({ body: { items: [{ email: uniqueEmail(), ...person }] } }),
  bulkUpsertLeads: () => ({ body: { key: 'email', items: [{ email: uniqueEmail(), ...person }] } }),
  bulkCreateStatuses: () => ({ body: { entityType: 'opportunity', statuses: [aStage()] } }),
  cancelCalendarEvent: () => ({ body: {} }),
  checkPermission: () => ({ query: { permission: 'leads:read' } }),
  createAccount: () => ({ body: { name: 'Analytical Engines' } }),
  createActivity: ({ records }) => ({ body: { type: 'note', leadId: String(records.lead) } }),
  createAssignmentRule: (_, { path }) => ({ body: { name: 'Sales', ...ruleFor(path), active: false } }),
  createAuditExport: () => ({ body: { format: 'json' } }),
  createBrowserSession: ({ email }) => ({ body: { email, password } }),
  convertLead: ({ openLead }) => ({ body: { leadId: String(openLead) } }),
  createBookingLink: () => ({ body: { title: 'First call', durationMinutes: 30 } }),
  createCalendarEvent: () => ({
    body: { title: 'Demo', startAt: '2032-03-03T10:00:00Z', endAt: '2032-03-03T11:00:00Z' },
  }),
  createCampaign: () => ({ body: { name: 'Spring' } }),
  updateCampaign: () => ({ body: { description: 'For all' } }),
  testSendCampaign: () => ({ body: { to: [uniqueEmail()] } }),
  duplicateCampaign: () => ({ body: {} }),
  createAbTest: (world, { path }) => ({ body: { name: 'Test', ...testFor(world, path) } }),
  updateAbTest: (world, { path }) => ({ body: testFor(world, path) }),
  updateSender: () => ({ body: { name: 'Grace' } }),
  testWorkflow: () => ({ body: {} }),
  createCoMarketingResource: (_, { path: [field = ''] }) => ({
    body: { name: 'Banner', category: 'images', sourceType: sources[field]?.[0] },
  }),
  createEnrollment: () => ({ body: {} }),
  createSegment: (_, { path: [field] }) => ({
    body: {
      name: unique('Fair'),
      ...(field === 'leadIds' ? { type: 'static' } : { type: 'filter', behavior: [{ event: 'clicked' }] }),
    },
  }),
  updateSegment: ({ filterSegment }, { path: [field] }) =>
    field === 'behavior'
      ? { params: { id: String(filterSegment) }, body: { behavior: [{ event: 'clicked' }] } }
      : { body: {} },
  holdFile: () => ({ body: { reason: 'Dispute' } }),
  releaseFile: () => ({ body: { reason: 'Settled' } }),
  updateFile: () => ({ body: { tags: ['signed'] } }),
  startOcr: () => ({ body: {} }),
  verifySignature: ({ records }, { path: [field] }) => ({
    body: field === 'versionId' ? { fileId: String(records.file) } : {},
  }),
  signParts: () => ({ body: { partNumbers: [1] } }),
  createSuppression: () => ({ body: { channel: 'email', value: uniqueEmail() } }),
  checkSuppressions: () => ({ body: { channel: 'email', values: [uniqueEmail()] } }),
  importSuppressions: () => ({ body: { channel: 'email', values: [uniqueEmail()] } }),
  updateTopic: () => ({ body: { description: 'Once a month' } }),
  updateForm: () => ({ body: { name: 'Contact' } }),
  updateTemplate: () => ({ body: { name: 'Hello' } }),
  testSendTemplate: () => ({ body: { to: [uniqueEmail()] } }),
  renderTemplate: () => ({ body: {} }),
  duplicateTemplate: () => ({ body: {} }),
  restoreTemplateVersion: () => ({ params: { number: '1' } }),
  restoreWorkflowVersion: () => ({ params: { number: '1' } }),
  getLandingPageVersion: () => ({ params: { number: '1' } }),
  updateWorkflow: () => ({ body: { name: 'Welcome' } }),
  setAudience: () => ({ body: { include: [], exclude: [] } }),
  triggerWorkflow: () => ({ body: {} }),
  readLeads: () => ({ body: {} }),
  selectLeads: () => ({ body: { conditions: [], limit: 100 } }),
  listActiveUsers: () => ({ body: { limit: 100 } }),
  createLandingPage: () => ({ body: { name: 'Spring', slug: randomBytes(6).toString('hex') } }),
  createLead: () => ({ body: { email: uniqueEmail(), ...person } }),
  createNotification: () => ({ body: { title: 'Done', body: 'Your import is done' } }),
  createPartner: () => ({ body: { email: uniqueEmail(), ...person } }),
  createPageDomain: () => ({ body: { host: `${randomBytes(6).toString('hex')}.example.com` } }),
  updatePageDomain: () => ({ body: {} }),
  createPipeline: () => ({ body: { name: 'Renewals' } }),
  createReferral: ({ openLead, records }) => ({
    body: { leadId: String(openLead), partnerId: String(records.partner) },
  }),
  createReferralCode: () => ({ body: {} }),
  updateReferralCode: () => ({ body: { label: 'Fair' } }),
  reassignReferral: ({ records }) => ({ body: { partnerId: String(records.partner), reason: 'Mistake' } }),
  createEscalationRule: () => ({
    body: { name: 'Late', overdueMinutes: 60, match: {}, target: { type: 'user' } },
  }),
  createTimeOff: () => ({ body: { from: '2032-03-10T00:00:00Z', to: '2032-03-11T00:00:00Z' } }),
  createSubtask: () => ({ body: { title: 'Prepare' } }),
  createMilestone: () => ({ body: { title: 'Signed' } }),
  createQuota: () => ({ body: { period: '2032-Q1', amount: 1, currency: 'EUR' } }),
  createStatus: () => ({ body: { entityType: 'opportunity', ...aStage() } }),
  createTask: () => ({ body: { title: 'Call back' } }),
  createTaskReminder: () => ({ body: { remindAt: '2999-01-01T00:00:00Z' } }),
  createTeam: () => ({ body: { name: `Sales ${randomBytes(6).toString('hex')}` } }),
  createUser: () => ({ body: { email: uniqueEmail(), password, ...person } }),
  // A session, a partner, or a user of a partner.
  endPortalSessions: ({ records }, { type }) => ({
    body: type === 'portal_user' ? { partnerId: String(records.partner) } : {},
  }),
  exportAccounts: () => ({ body: {} }),
  exportLeads: () => ({ body: {} }),
  exportOpportunities: () => ({ body: {} }),
  exportPartners: () => ({ body: {} }),
  filterLeads: () => ({ body: {} }),
  filterOpportunities: () => ({ body: {} }),
  findAssignees: () => ({ body: { userIds: [], teamIds: [] } }),
  findAvailability: () => ({ query: calendarPeriod }),
  findDismissedDuplicates: () => ({ body: {} }),
  findLeads: () => ({ body: {} }),
  findNotificationCall: () => ({ params: { actionId: 'open' } }),
  getCalendar: () => ({ query: calendarPeriod }),
  linkFile: () => ({ body: { expiresIn: 900 } }),
  listEvents: () => ({ query: { sort: 'id' } }),
  login: ({ email }) => ({ body: { email, password } }),
  loginToPortal: ({ portalEmail }) => ({ body: { email: portalEmail, password } }),
  loseOpportunity: ({ openOpportunity }, { part }) => ({
    ...(part === 'body' && { params: { id: String(openOpportunity) } }),
    body: { reasonCode: 'price' },
  }),
  mergeAccounts: ({ records, subsidiary }, { part }) => ({
    ...(part === 'body' && { params: { id: String(subsidiary) } }),
    body: { mergeIds: [String(records.account)], dryRun: true },
  }),
  mergeLeads: ({ records }) => ({ body: { mergeIds: [String(records.lead)], dryRun: true } }),
  // Without the time of the example, which is over one day.
  setPartnerParent: () => ({ body: {} }),
  openRegisteredDeal: () => ({ body: aRegisteredDeal() }),
  createDealRegistration: () => ({ body: { company: 'Engines', contact: { email: uniqueEmail(), ...person } } }),
  openPortalSession: () => ({ body: { name: 'Grace Hopper' } }),
  pressNotificationAction: () => ({ params: { actionId: 'open' } }),
  recordEvent: () => ({ body: { eventType: 'page_visit' } }),
  refreshProviderConnection: () => ({ params: { provider: 'slack' } }),
  recordEvents: () => ({ body: { events: [{ eventType: 'page_visit' }] } }),
  recoverWebhook: () => ({ body: { since: new Date(Date.now() - 3_600_000).toISOString() } }),
  replayWebhook: () => ({ body: { since: new Date(Date.now() - 3_600_000).toISOString() } }),
  resolveSession: () => ({ body: {} }),
  respondToCalendarEvent: () => ({ body: { response: 'accepted' } }),
  createAgent: () => ({ body: { name: 'Caller', kind: 'caller' } }),
  createAgentSchedule: ({ records }, { path: [field = ''] }) => {
    const body = aDailyRun(String(records.agent), String(records.lead));
    return { body: field === 'target' ? { ...body, target: {} } : body };
  },
  updateAgentSchedule: () => ({ body: { name: 'Daily' } }),
  decideApprovals: () => ({ body: { ids: ['none'], decision: 'reject', reason: 'Later' } }),
  runAgent: ({ records }) => ({ body: { leadId: String(records.lead) } }),
  runAgentInBulk: () => ({ body: { leadIds: ['none'] } }),
  submitForecast: () => ({ body: { period: '2032-Q1', amount: 1, currency: 'EUR' } }),
  readFilePart: () => ({ query: { start: '0', length: '1', checksum: 'another' } }),
  searchLeads: () => ({ query: { q: person.lastName } }),
  setPipelineRules: () => ({ body: {} }),
  setPredictedScores: () => ({ body: { scores: [{ score: 5, version: 1 }], reason: 'A model' } }),
  snoozeNotification: () => ({ body: { until: new Date(Date.now() + 3_600_000).toISOString() } }),
  updateAccount: () => ({ body: { name: 'Difference Engines' } }),
  updateActivity: () => ({ body: { outcome: 'reached' } }),
  updateAssignmentRule: (_, { path }) => ({ body: ruleFor(path) }),
  updateAccountImport: () => ({ body: {} }),
  updateBookingLink: () => ({ body: { title: 'First call' } }),
  updateCalendarEvent: () => ({ body: { title: 'Demo' } }),
  updateCoMarketingResource: ({ materials }, { part, path: [field = ''] }) => {
    const material = sources[field]?.[1];
    return { body: {}, ...(part === 'body' && material && { params: { id: String(materials[material]) } }) };
  },
  updateLandingPage: () => ({ body: { name: 'Spring' } }),
  updateLeadImport: () => ({ body: {} }),
  updateOpportunityImport: () => ({ body: {} }),
  updateLead: () => ({ body: { lastName: 'King' } }),
  updateEscalationRule: () => ({ body: { match: {}, target: { type: 'user' } } }),
  updateSubtask: () => ({ body: { title: 'Prepare' } }),
  updateTask: () => ({ body: { title: 'Call back' } }),
  updatePipeline: () => ({ body: { name: 'Renewals' } }),
  updateTimeOff: () => ({ body: { reason: 'Summer' } }),
  updateUser: () => ({ body: { firstName: 'Grace' } }),
  winOpportunity: ({ openOpportunity }, { part }) => ({
    ...(part === 'body' && { params: { id: String(openOpportunity) } }),
    body: {},
  }),
};

/** The fields of an assignment rule around an id. */
function ruleFor([field]: readonly string[]) {
  return field === 'weights' ? { method: 'weighted', weights: [{ weight: 2 }] } : { method: 'round_robin' };
}

/** The fields of an A/B test around an id. */
function testFor({ records }: World, [field]: readonly string[]) {
  if (field !== 'landingPageId') return { target: 'subject', variants: subjects, metric: 'open' };
  const [original] = subjects;
  // Not a version, because an unknown page has none.
  const override = { landingPageId: String(records.landing_page) };
  const variants = [original, { key: 'other', weight: 50, override }];
  return { target: 'landing_page', variants, metric: 'conversion' };
}

/** The body without ids of the operation that opens the deal of a registration. */
function aRegisteredDeal() {
  const deal = { name: 'Engines', value: null, currency: null, expectedCloseAt: null, notes: null };
  return { contact: { email: uniqueEmail(), phone: null, ...person }, deal };
}

function aStage() {
  return { code: `demo_${randomBytes(6).toString('hex')}`, name: 'Demo' };
}

/** The selection of a bulk operation: the filter with the id, or no lead at all for an id in the change. */
function selectionFor([field]: readonly string[]) {
  return field === 'filter' ? { filter: {}, expectedCount: 1_000 } : { ids: ['none'] };
}

/** Restores the state that a request needs after another request has changed it. */
export const preparations: Record<string, (world: World, setup: Setup) => Promise<void>> = {
  ...commissionPreparations,
  ...marketingPreparations,
  ...trainingPreparations,
  ...reportPreparations,
  bulkAssignAccounts: anAccountOfUser,
  bulkDeleteAccounts: anAccountOfUser,
  bulkUpdateAccounts: anAccountOfUser,
  bulkAssignOpportunities: aDealOfAll,
  bulkDeleteOpportunities: aDealOfAll,
  bulkUpdateOpportunities: aDealOfAll,
  endPortalSessions: signInAgain,
  async deleteMilestone({ scope, records }, { direct }) {
    const deal = { name: 'Engines', value: 1_000, currency: 'EUR' };
    records.opportunity = Number((await direct.call('createOpportunity', { body: deal }, scope)).id);
    const params = { oid: String(records.opportunity) };
    records.milestone = Number((await direct.call('createMilestone', { params, body: { title: 'Signed' } }, scope)).id);
  },
  async deleteFileVersion({ scope, records }, { direct }) {
    const form = new FormData();
    form.append('file', new Blob(['Numbers'], { type: 'text/plain' }), 'notes.txt');
    const file = await direct.call('uploadFile', { form }, scope);
    records.file = Number(file.id);
    records.file_version = Number(file.versionId);
  },
  async deletePortalUser({ scope, records }, { direct }) {
    const params = { id: String(records.partner) };
    const body = { email: uniqueEmail(), password, role: 'member' };
    records.portal_user = Number((await direct.call('createPortalUser', { params, body }, scope)).id);
  },
  async deleteSubtask(world, setup) {
    const params = await aTask(world, setup);
    const subtask = await setup.direct.call('createSubtask', { params, body: { title: 'Prepare' } }, world.scope);
    world.records.subtask = Number(subtask.id);
  },
  async deleteTaskRecurrence(world, setup) {
    const params = await aTask(world, setup);
    await setup.direct.call(
      'setTaskRecurrence',
      { params, body: { rrule: 'FREQ=WEEKLY', timezone: 'Europe/Berlin' } },
      world.scope,
    );
  },
  async deleteTaskReminder(world, setup) {
    const params = await aTask(world, setup);
    const body = { remindAt: '2999-01-01T00:00:00Z' };
    const reminder = await setup.direct.call('createTaskReminder', { params, body }, world.scope);
    world.records.reminder = Number(reminder.id);
  },
  async endSession(world, setup) {
    world.records.session = await userSession(setup, world.scope, world.email);
  },
  async listTeams({ scope, records }, { direct }) {
    const user = String(records.user);
    const body = { name: `Led ${randomBytes(6).toString('hex')}`, memberIds: [user], leadId: user };
    await direct.call('createTeam', { body }, scope);
  },
  async removeTeamMember({ scope, records }, { direct }) {
    const params = { id: String(records.team) };
    await direct.call('addTeamMembers', { params, body: { userIds: [String(records.user)] } }, scope);
  },
  resolveSession: signInAgain,
};

/** Replaces the task of the records by a new one. */
async function aTask({ scope, records }: World, { direct }: Setup): Promise<{ id: string }> {
  const body = { title: 'Call back', dueAt: '2999-02-01T00:00:00Z' };
  const { id } = await direct.call('createTask', { body }, scope);
  records.task = Number(id);
  return { id };
}

/** The record of a world that the operation of a position finds. */
export function recordOf(
  { records, accountImport, opportunityImport, reindexJob }: World,
  { row, type }: Position,
): number | undefined {
  if (row.id === 'getReindex') return reindexJob;
  if (type !== 'import') return records[type];
  if (row.path.startsWith('/v1/accounts')) return accountImport;
  return row.path.startsWith('/v1/opportunities') ? opportunityImport : records[type];
}

/** An account with a subsidiary of the user and the team: the filter of a bulk request has all ids. */
async function anAccountOfUser({ scope, records }: World, { direct }: Setup): Promise<void> {
  const owned = { ownerId: String(records.user), teamId: String(records.team) };
  const parent = await direct.call('createAccount', { body: { name: 'Engines', ...owned } }, scope);
  records.account = Number(parent.id);
  await direct.call('createAccount', { body: { name: 'A subsidiary', ...owned, parentAccountId: parent.id } }, scope);
}

/** A deal with a reference to each type of record that a filter can name. */
async function aDealOfAll({ scope, records }: World, { direct }: Setup): Promise<void> {
  const pipelineId = String(records.pipeline);
  const [stage] = await direct.call('listStatuses', { query: { entityType: 'opportunity', pipelineId } }, scope);
  records.status_definition = Number(stage.id);
  const references = { ownerId: records.user, teamId: records.team, leadId: records.lead, accountId: records.account };
  const body = { name: 'Renewal', currency: 'EUR', pipelineId, stageId: stage.id, partnerId: String(records.partner) };
  const asText = Object.entries(references).map(([field, id]) => [field, String(id)]);
  await direct.call('createOpportunity', { body: { ...body, ...Object.fromEntries(asText) } }, scope);
}

async function signInAgain(world: World, setup: Setup): Promise<void> {
  world.records.session = await portalSession(setup, world.scope, world.portalEmail);
}

/** A valid request with an id at a position, and records of the world at all other positions that it needs. */
export function requestWith(id: number, position: Position, world: World, examples: Examples): DirectRequest {
  const { row, part, path } = position;
  if (part === 'form') throw new Error(`${position.name}: this test does not support ids in forms`);
  const { params, query, body } = requests[row.id]?.(world, position) ?? {};
  const request = structuredClone({
    params: { ...ownIds(row.params, world), ...params } as Record<string, string>,
    query: { ...query },
    body: row.body && { ...ownIds(row.body, world, body ?? examples.get(row.id) ?? {}) },
  });
  place(request[part] as Record<string, unknown>, path, id, recordOf(world, position));
  return request as DirectRequest;
}

/** A value with ids of the world at all positions that it needs: those that are required, or in the example. */
function ownIds(schema: Operation['body'], { records }: World, value: object = {}): object {
  const filled = structuredClone(value) as Record<string, unknown>;
  for (const { path, type } of walkIds(schema)) {
    const [field = ''] = path;
    const isSet = isDecimal(at(filled, path));
    const isOptional = (present: unknown) => schema?.shape[field]?.safeParse(present).success === true;
    // An optional id of an item, such as that of a variant: filling it would replace the items of the request.
    const isOfItem = path.indexOf('*') < path.length - 1 && path.includes('*');
    const isLeftOut = isOfItem && at(filled, path) === undefined && isOptional(filled[field]);
    const isNeeded = (field in filled || !isOptional(undefined)) && !isLeftOut;
    if (isNeeded && !isSet) place(filled, path, records[type]);
  }
  return filled;
}

/** Whether a value is an id as services exchange them; those of the examples are codes. */
function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (inner as Record<string, unknown> | undefined)?.[step === '*' ? '0' : step],
    value,
  );
}

/** Sets an id at a path. A list gets the other id, if there is one, and then the id. */
function place(target: Record<string, unknown>, path: readonly string[], id: number | undefined, other?: number): void {
  const [step = '', next, ...rest] = path;
  if (next === undefined) {
    target[step] = String(id);
    return;
  }
  if (next !== '*') {
    target[step] ??= {};
    place(target[step] as Record<string, unknown>, [next, ...rest], id, other);
    return;
  }
  const items = [...new Set([other, id])].filter((one) => one !== undefined);
  target[step] = items.map((one) => {
    if (!rest.length) return String(one);
    const [first] = (target[step] ?? []) as object[];
    const item = structuredClone(first ?? {}) as Record<string, unknown>;
    place(item, rest, one);
    return item;
  });
}
