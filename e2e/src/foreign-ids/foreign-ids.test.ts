import { type IdKind, isIdUnion, namesPath, unionNumber, unknownId, walkIds } from '@tandem/contract';
import { createIdCodec, type IdCodec } from '@tandem/ids';
import { type Receiver, startFleet, startReceiver, type TestFleet } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';
import { commissionAnswers } from './commissions.ts';
import { directCalls } from './direct.ts';
import { exemptions, isOfExport, type Owner } from './exemptions.ts';
import { idPositions, type Position } from './positions.ts';
import type { Setup, SharedRecords, World } from './records.ts';
import { type Examples, preparations, readExamples, recordOf, requestWith } from './requests.ts';
import { trainingAnswers } from './training.ts';
import { createWorld, sharedRecords, worldSettings } from './world.ts';

// The id of an existing record of another tenant or of the other environment must return exactly the same response as
// an unknown id, at every position of every operation, and must change nothing. The gateway already rejects ids of
// other tenants, because it cannot decode them; these requests bypass it and go to the services.

const positions = idPositions();
const tested = positions.filter(({ name }) => !(name in exemptions) || exemptions[name]?.owner);
const byOperation = [...Map.groupBy(tested, ({ row }) => row.id)];
// Events and jobs of the setup follow one another within this time.
const quietMs = 2_000;

let fleet: TestFleet;
let receiver: Receiver;
let setup: Setup;
let ids: IdCodec;
let examples: Examples;
let shared: SharedRecords;
let own: World;
let sandbox: World;
let other: World;
let tables: Record<string, Tables>;
let known: Record<string, string>;
const answersToMissing = new Map<string, unknown>();

beforeAll(async () => {
  fleet = await startFleet({ env: worldSettings });
  receiver = await startReceiver();
  ids = createIdCodec(fleet.environment['gateway']?.['IDS_ALPHABET'] as string);
  setup = { direct: directCalls(fleet), ids, receiverUrl: receiver.url };
  examples = await readExamples(fleet.baseUrl);
  const opened = [...new Set(positions.map(({ service }) => service))].map(
    async (service) => [service, await openTables(fleet.environment[service]?.['DATABASE_URL'] as string)] as const,
  );
  tables = Object.fromEntries(await Promise.all(opened));
  shared = await sharedRecords(setup);
  const theirs = await sharedRecords(setup);
  own = await createWorld(setup, shared, 'live');
  // Created after the caller's records: an id can be the start of a page, and no record of the caller may follow it.
  [sandbox, other] = await Promise.all([createWorld(setup, shared, 'sandbox'), createWorld(setup, theirs, 'live')]);
  // The second passes over the records of a new custom field and of a merge follow later.
  await quietAfter(`UPDATE platform.job SET due_at = now()
    WHERE name IN ('read-existing-records', 'move-rows-of-merged-leads') AND due_at > now()`);
  // A job that becomes due during a request would look like a change made by the request. One that began before it could
  // be postponed ends first.
  await quietAfter(`UPDATE platform.job SET due_at = due_at + interval '1 day'
    WHERE state = 'waiting' AND due_at < now() + interval '12 hours'`);
}, 240_000);
afterAll(async () => {
  await Promise.all(Object.values(tables ?? {}).map((one) => one.close()));
  await receiver?.close();
  await fleet?.stop();
}, 60_000);

/** Changes the jobs of all services until nothing has happened for a while. */
async function quietAfter(changeOfJobs: string): Promise<void> {
  let changedAt = Date.now();
  await until('events and jobs have been handled', async () => {
    await Promise.all(Object.values(tables).map((one) => one.sql(changeOfJobs)));
    const isBusy = (await isWorkLeft()) || (await changedTables()).length > 0;
    if (isBusy) changedAt = Date.now();
    return Date.now() - changedAt > quietMs;
  });
}

/** The tables of all services, with all tenants and environments, that changed since the last call. */
async function changedTables(): Promise<string[]> {
  const states = await Promise.all(
    Object.entries(tables).map(async ([service, one]) =>
      Object.entries(await one.states()).map(([table, state]) => [`${service} ${table}`, state] as const),
    ),
  );
  const now = Object.fromEntries(states.flat());
  const changed = Object.keys(now).filter((table) => now[table] !== known?.[table]);
  known = now;
  return changed;
}

/** Whether a service has events that are not sent yet, or jobs that are due. */
async function isWorkLeft(): Promise<boolean> {
  const left = `SELECT FROM platform.outbox UNION ALL SELECT FROM platform.job WHERE state IN ('queued', 'running')`;
  const rows = await Promise.all(Object.values(tables).map((one) => one.sql(left)));
  return rows.flat().length > 0;
}

/** An id without a record; within the bounds of public ids. */
function missingId(type: IdKind): number {
  if (isIdUnion(type)) return unionNumber(type, 'user', missingId('user'));
  return type === 'tenant' ? 9_999_999 : 999_999_999_999;
}

/**
 * The response to a request of the caller with this id at the position, without the parts that differ in each response.
 */
async function answerTo(id: number, position: Position): Promise<{ status: number; body: Record<string, unknown> }> {
  const { row, type } = position;
  // A system caller outside of any tenant, if the request names one.
  const scope = walkIds(row.body).some((one) => one.type === 'tenant') ? undefined : own.scope;
  const { status, body } = await setup.direct.send(row, requestWith(id, position, own, examples), scope);
  const { meta: _, ...rest } = body;
  const text = JSON.stringify(rest)
    .replaceAll(`"${id}"`, '"<id>"')
    .replaceAll(`‹${type} ${id}›`, '<id>')
    .replaceAll(/"generatedAt":"[^"]*"/g, '"generatedAt":"<time>"');
  return { status, body: JSON.parse(text) };
}

/** The foreign records that a request at this position must not access. */
function foreignIds(position: Position): [owner: Owner, id: number][] {
  const { name, type } = position;
  const found: [Owner, number | undefined][] = [['another tenant', recordOf(other, position)]];
  if (type in other.separate) found.push(['the other environment', recordOf(sandbox, position)]);
  const exempt = exemptions[name]?.owner;
  return found.flatMap(([owner, id]) => {
    if (id === undefined)
      throw new Error(`${name}: create a ${type} in world.ts, or add the position to exemptions.ts with the reason`);
    return owner === exempt ? [] : [[owner, id] as [Owner, number]];
  });
}

/** The response to an unknown id, where it is not 404 for the path, an empty list, or a field error. */
const otherAnswers: Readonly<Record<string, object>> = {
  ...namedPositions(),
  ...filterPositions(),
  ...commissionAnswers,
  ...trainingAnswers,
  'addTeamMembers body.userIds.*': { status: 200 },
  'checkPermission query.userId': { status: 404, body: { code: 'not_found' } },
  'countOpenCampaignWork body.userId': { status: 200, body: { data: { campaigns: 0, workflows: 0, landingPages: 0 } } },
  'countOpenWork body.userId': { status: 200, body: { data: { leads: 0, opportunities: 0, tasks: 0 } } },
  'createBrowserSession body.tenantId': { status: 401, body: { code: 'bad_credentials' } },
  ...usersOfRule('createAssignmentRule'),
  ...usersOfRule('updateAssignmentRule'),
  'deleteStatus query.replaceWithId': {
    status: 422,
    body: { errors: [{ field: 'replaceWithId', message: unknownId('status_definition') }] },
  },
  'endPortalSessions body.partnerId': { status: 200, body: { data: { ended: 0 } } },
  'endPortalSessions body.portalUserId': { status: 200, body: { data: { ended: 0 } } },
  'endPortalSessions body.sessionId': { status: 200, body: { data: { ended: 0 } } },
  'findCourses body.ids.*': { status: 200 },
  ...positionsOf('findPartnerCompletions', { status: 200 }),
  'findPartners body.ids.*': { status: 200 },
  'getFilePreview query.versionId': { status: 404, body: { code: 'not_found' } },
  'remindSigners body.signerId': { status: 409 },
  'getFileDownload query.versionId': { status: 404, body: { code: 'not_found' } },
  'exportAccounts body.after': { status: 200, body: { data: [] } },
  'exportLeads body.after': { status: 200, body: { data: [] } },
  'exportOpportunities body.after': { status: 200, body: { data: [] } },
  'exportPartners body.after': { status: 200, body: { data: [] } },
  'filterLeads body.ids.*': { status: 200 },
  'filterOpportunities body.ids.*': { status: 200 },
  'findAvailability query.userIds': {
    status: 422,
    body: { errors: [{ field: 'userIds', message: unknownId('user') }] },
  },
  'getCalendar query.teamId': { status: 422, body: { errors: [{ field: 'teamId', message: unknownId('team') }] } },
  'getCalendar query.userIds': { status: 200, body: { data: { entries: [] } } },
  // The numbers of nobody.
  ...positionsOf('getCohorts', { status: 200 }),
  ...positionsOf('getDashboard', { status: 200 }),
  ...positionsOf('getFunnel', { status: 200 }),
  ...Object.fromEntries(
    ['getCohorts', 'getDashboard', 'getFunnel'].map((name) => [
      `${name} query.cohortId`,
      { status: 422, body: { errors: [{ field: 'cohortId', message: unknownId('cohort_definition') }] } },
    ]),
  ),
  ...positionsOf('getForecast', { status: 200 }),
  ...positionsOf('getOpportunitySummary', { status: 200, body: { data: { stages: [] } } }),
  'findAssignees body.teamIds.*': { status: 200 },
  'findAssignees body.userIds.*': { status: 200 },
  'enrollLeads body.leadIds.*': { status: 200 },
  'findDismissedDuplicates body.leadIds.*': { status: 200 },
  'findLeads body.ids.*': { status: 200 },
  'listSegmentLeads query.after': { status: 200 },
  'readLeads body.ids.*': { status: 200 },
  'readPipeline body.id': { status: 404, body: { code: 'not_found' } },
  'selectLeads body.ids.*': { status: 200 },
  'updateSegment body.removeLeadIds.*': { status: 200 },
  'selectLeads body.after': { status: 200 },
  'setPredictedScores body.scores.*.leadId': { status: 200 },
  'listActiveUsers body.after': { status: 200, body: { data: [] } },

  'findUserPermissions params.id': { status: 200, body: { data: { permissions: [] } } },
  'login body.tenantId': { status: 401, body: { code: 'bad_credentials' } },
  'loginToPortal body.tenant': { status: 401, body: { code: 'bad_credentials' } },
  'resolveSession body.sessionId': { status: 404 },
  'resolveSession body.tenantId': { status: 404 },
};

/** The operations that name records answer with the records that they know. */
function namedPositions(): Record<string, object> {
  const named = positions.filter(({ row }) => row.path === namesPath);
  return Object.fromEntries(named.map(({ name }) => [name, { status: 200 }]));
}

/** A bulk operation rejects a filter that matches another number of records than expected. */
function filterPositions(): Record<string, object> {
  const filters = positions.filter(({ part, path }) => part === 'body' && path[0] === 'filter');
  return Object.fromEntries(filters.map(({ name }) => [name, { status: 409 }]));
}

/** Rules of assignment name active users only. */
function usersOfRule(operation: string): Record<string, object> {
  const message = `${unknownId('user')}, or the user is not active`;
  const users = positions.filter(({ row, part, type }) => row.id === operation && part === 'body' && type === 'user');
  return Object.fromEntries(
    users.map(({ name, path: [field] }) => {
      const error = { field: expect.stringMatching(new RegExp(`^${field}\\.\\d+`)), message };
      return [name, { status: 422, body: { errors: [error] } }];
    }),
  );
}

function positionsOf(operation: string, answer: object): Record<string, object> {
  return Object.fromEntries(positions.filter(({ row }) => row.id === operation).map(({ name }) => [name, answer]));
}

function expectedAnswer({ name, part, path, type }: Position): object {
  if (name in otherAnswers) return otherAnswers[name] as object;
  if (part === 'params') return { status: 404, body: { code: 'not_found' } };
  if (part === 'query') return { status: 200, body: { data: [] } };
  const field = path
    .map((step) => (step === '*' ? '(\\.\\d+)?' : `\\.${step}`))
    .join('')
    .slice(2);
  const error = { field: expect.stringMatching(new RegExp(`^${field}$`)), message: unknownId(type) };
  return { status: 422, body: { errors: [error] } };
}

it('every exemption and every special response refers to a position, and its reason holds', async () => {
  const names = new Set(positions.map(({ name }) => name));
  const unknown = [...Object.keys(exemptions), ...Object.keys(otherAnswers)].filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
  const proof = { own, sandbox, direct: setup.direct, tables };
  for (const position of positions.filter(({ name }) => name in exemptions)) {
    const { because, holds } = exemptions[position.name] as (typeof exemptions)[string];
    expect([position.name, because, await holds(position, proof)]).toEqual([position.name, because, true]);
  }
  expect(await changedTables()).toEqual([]);
});

it('live and sandbox share exactly the records of identity', async () => {
  const withEnvironment = `SELECT 1 FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'environment'`;
  const separate = await Promise.all(
    Object.entries(tables).map(async ([service, one]) => ((await one.sql(withEnvironment)).length ? service : [])),
  );
  expect(separate.flat().sort()).toEqual(
    Object.keys(tables)
      .filter((service) => service !== 'identity')
      .sort(),
  );
});

describe('the id of a record of another tenant or of the other environment', () => {
  it.each(byOperation)('%s responds as for an unknown id, and changes nothing', async (_, ofOperation) => {
    const compare = async (position: Position) => {
      const missing = await answerTo(missingId(position.type), position);
      answersToMissing.set(position.name, missing);
      expect({ [position.name]: missing }).toMatchObject({ [position.name]: expectedAnswer(position) });
      for (const [owner, id] of foreignIds(position)) {
        const about = `${position.name} of ${owner}`;
        expect({ [about]: await answerTo(id, position) }).toEqual({ [about]: missing });
      }
    };
    let changed: string[] = [];
    try {
      for (const position of ofOperation) await compare(position);
    } finally {
      changed = await changedTables();
    }
    expect(changed).toEqual([]);
  });
});

describe('an export, which starts a job for any filter', () => {
  it.each(positions.filter(isOfExport).map((position) => [position.name, position] as const))(
    '%s has no record for a foreign id, and those of the caller for an own id',
    async (_, position) => {
      const rowsFor = async (id: number) => {
        const { body } = await setup.direct.send(position.row, requestWith(id, position, own, examples), own.scope);
        const request = { params: { id: body.data.jobId as string } };
        const job = await until('the export is done', async () => {
          const found = await setup.direct.call('getJob', request, own.scope);
          return found.status === 'completed' && found;
        });
        return job.result.rows;
      };
      expect(await rowsFor(missingId(position.type))).toBe(0);
      for (const [, id] of foreignIds(position)) expect(await rowsFor(id)).toBe(0);
      expect(await rowsFor(recordOf(own, position) as number)).toBeGreaterThan(0);
    },
  );
});

it('runAgentInBulk, whose ids are plain text, reports a foreign lead like an unknown one', async () => {
  const leadIds = [
    ids.encode('lead', own.scope.tenantId, missingId('lead')),
    ids.encode('lead', own.scope.tenantId, sandbox.records.lead as number),
    ids.encode('lead', other.scope.tenantId, other.records.lead as number),
  ];
  const params = { id: String(own.records.agent) };
  const { results } = await setup.direct.call('runAgentInBulk', { params, body: { leadIds } }, own.scope);
  const error = { code: 'lead_not_found', message: unknownId('lead') };
  expect(results).toEqual(leadIds.map((leadId) => ({ leadId, status: 'error', error })));
});

it('bulk operations, whose ids are plain text, report a foreign lead like an unknown one', async () => {
  const leadIds = [
    ids.encode('lead', own.scope.tenantId, missingId('lead')),
    ids.encode('lead', own.scope.tenantId, sandbox.records.lead as number),
    ids.encode('lead', other.scope.tenantId, other.records.lead as number),
  ];
  const { results } = await setup.direct.call('bulkDeleteLeads', { body: { ids: leadIds } }, own.scope);
  const error = { code: 'not_found', message: 'Resource not found', errors: [] };
  expect(results).toEqual(leadIds.map((id) => ({ id, success: false, error })));
  const scored = await setup.direct.call('scoreLeads', { body: { leadIds } }, own.scope);
  const unscored = { success: false, error, prediction: null };
  expect(scored.results).toEqual(leadIds.map((leadId) => ({ leadId, ...unscored })));
});

it('X-On-Behalf-Of, which the gateway reads, rejects a user of another tenant like an unknown one', async () => {
  const answerFor = async (tenantId: number, id: number) => {
    const headers = { 'X-API-Key': shared.fullKey, 'X-On-Behalf-Of': ids.encode('user', tenantId, id) };
    const response = await fetch(`${fleet.baseUrl}/v1/users/me`, { headers });
    const { meta: _, ...body } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body };
  };
  const { tenantId } = own.scope;
  const missing = await answerFor(tenantId, missingId('user'));
  expect(missing.status).toBeGreaterThanOrEqual(400);
  expect(await answerFor(other.scope.tenantId, other.records.user as number)).toEqual(missing);
  expect((await answerFor(tenantId, own.records.user as number)).status).toBe(200);
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
// An erasure and a termination cannot be undone, so that they come after everything else.
const final = ['eraseLead', 'terminatePartner'];
const rankOf = ({ row }: Position) => (final.includes(row.id) ? methods.length : methods.indexOf(row.method));
const deletingLast = tested.toSorted((a, b) => rankOf(a) - rankOf(b));

// The proof that the requests above are valid apart from the id, and that records of these types exist.
describe('the id of a record of the caller', () => {
  it.each(deletingLast.map((position) => [position.name, position] as const))(
    '%s accepts it',
    async (name, position) => {
      await preparations[position.row.id]?.(own, setup);
      const answer = await answerTo(recordOf(own, position) as number, position);
      expect(answer).not.toEqual(answersToMissing.get(name));
      expect(answer.status).toBeLessThan(500);
    },
  );
});
