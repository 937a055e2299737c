import { createIdCodec } from '@tandem/ids';
import { aPerson, identityPeer, members, publish, until, users } from '@tandem/testing';
import { type Analytics, publicUrl, startAnalytics } from '../../analytics.test-service.ts';
import type { PeerRecord } from '../../crm-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: Analytics;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<Analytics['as']>;

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const userId = Number(users.active);

/** The sources whose lists other services than crm and identity have: the list, and the permission that it requires. */
const sources = [
  ['partners', 'listPartners', 'partners:read'],
  ['referrals', 'listReferrals', 'partners:read'],
  ['deal_registrations', 'listDealRegistrations', 'partners:read'],
  ['commissions', 'listCommissions', 'commissions:read'],
  ['payouts', 'listPayouts', 'commissions:read'],
  ['campaigns', 'listCampaigns', 'campaigns:read'],
  ['recipients', 'listRecipients', 'campaigns:read'],
  ['messages', 'listMessages', 'campaigns:read'],
  ['segments', 'listSegments', 'campaigns:read'],
  ['templates', 'listTemplates', 'campaigns:read'],
  ['forms', 'listForms', 'campaigns:read'],
  ['form_submissions', 'listFormSubmissions', 'campaigns:read'],
  ['landing_pages', 'listLandingPages', 'campaigns:read'],
  ['workflows', 'listWorkflows', 'workflows:read'],
  ['workflow_executions', 'listWorkflowExecutions', 'workflows:read'],
  ['suppressions', 'listSuppressions', 'campaigns:read'],
  ['courses', 'listCourses', 'training:read'],
  ['enrollments', 'listEnrollments', 'training:read'],
  ['certificates', 'listCertificates', 'training:read'],
  ['attempts', 'listAttempts', 'training:read'],
  ['files', 'listFiles', 'files:read'],
  ['webhook_deliveries', 'listDeliveries', 'webhooks:read'],
  ['calendar_events', 'listCalendarEvents', 'calendar:read'],
] as const;
const narrowed = [
  ...['campaigns', 'recipients', 'segments', 'templates', 'landing_pages', 'workflows', 'workflow_executions'],
  ...['courses', 'enrollments', 'certificates', 'attempts', 'files', 'webhook_deliveries', 'calendar_events'],
];
/** The records that have a list each, whose id is a filter of the export. */
const parents: Record<string, 'campaign' | 'form' | 'webhook' | 'workflow'> = {
  recipients: 'campaign',
  form_submissions: 'form',
  workflow_executions: 'workflow',
  webhook_deliveries: 'webhook',
};

function bodyOf(source: string, { caller }: Api) {
  const parent = parents[source];
  const filters = parent && { [`${parent}Id`]: ids.encode(parent, caller.tenantId as number, 1) };
  return { source, format: 'csv', ...(filters && { filters }) };
}

const setRecords = (list: string, ...records: PeerRecord[]) => service.crm.lists.set(list, records);

async function exported(api: Api, body: object) {
  const reply = await api.createExport({ body: { format: 'csv', ...body } });
  expect([reply.status, reply.body.errors]).toEqual([202, undefined]);
  return until('the export is completed', async () => {
    const { data } = await api.getExport({ params: { id: reply.data.id } });
    return data.status === 'completed' && data;
  });
}

async function fileOf({ downloadUrl }: { downloadUrl: string }) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = downloadUrl.slice(`${publicUrl}/v1/public/analytics/exports/`.length);
  return (await service.send(service.operations.downloadExportFile, { params: { token } }, nobody)).text;
}

describe.each(sources)('the source %s', (source, list, permission) => {
  it('has the records of its list for callers with the permission of the list', async () => {
    setRecords(list, ...['1', '2', '3'].map((id) => ({ id, leadId: id })));
    const can = ['analytics:read', permission];
    const api = service.as({ userId, can });
    const columns = [source === 'recipients' ? 'leadId' : 'id'];
    const done = await exported(api, { ...bodyOf(source, api), columns });
    expect([done.rowCount, (await fileOf(done)).trim().split('\r\n').length]).toEqual([3, 4]);
    const stranger = service.as({ userId, can: ['analytics:read'] });
    const refused = await stranger.createExport({ body: { source, format: 'csv' } });
    expect([refused.status, refused.body.errors]).toEqual([
      403,
      [{ field: 'source', message: `Requires the permission ${permission}` }],
    ]);
  });

  it('has own records only for a narrowed caller, or none if the list is not narrowed', async () => {
    setRecords(list, { id: '1' }, { id: '2', assignedTo: members.seller });
    const api = service.as({ userId: Number(members.seller), can: ['analytics:read', `${permission}:own`] });
    if (narrowed.includes(source)) expect((await exported(api, bodyOf(source, api))).rowCount).toBe(1);
    else expect((await api.createExport({ body: bodyOf(source, api) })).status).toBe(403);
  });

  it('refuses filters that its list does not have', async () => {
    const reply = await service.as().createExport({ body: { source, format: 'csv', filters: { colour: 'red' } } });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toContainEqual(
      expect.arrayContaining(['filters']),
    );
    expect(reply.status).toBe(422);
  });
});

describe.each(Object.entries(parents))('the list of a record as the source %s', (source, parent) => {
  it('needs the id of the record, of this tenant', async () => {
    const api = service.as({ userId });
    const filter = `${parent}Id`;
    for (const [filters, message] of [
      [{}, 'Is required'],
      [{ [filter]: ids.encode(parent, 999_999, 1) }, `No ${parent} with this id`],
    ]) {
      const { status, body } = await api.createExport({ body: { source, format: 'csv', filters } });
      expect([status, body.errors]).toEqual([422, [{ field: `filters.${filter}`, message }]]);
    }
  });
});

describe.each([
  ['agent_executions', 'listExecutions'],
  ['agent_recommendations', 'listRecommendations'],
])('the source %s', (source, list) => {
  it('has the records about leads that the caller can read', async () => {
    setRecords(list, { id: '1', leadId: '1' }, { id: '2', leadId: '2' }, { id: '3', leadId: '3' });
    service.crm.owners.set('2', Number(members.seller)).set('1', userId).set('3', userId);
    const can = ['analytics:read', 'agents:read'];
    const rowsFor = async (...more: string[]) =>
      (await exported(service.as({ userId: Number(members.seller), can: [...can, ...more] }), { source })).rowCount;
    expect([await rowsFor('leads:read'), await rowsFor('leads:read:own')]).toEqual([3, 1]);
    const stranger = service.as({ userId, can });
    expect((await stranger.createExport({ body: { source, format: 'csv' } })).body.errors).toEqual([
      { field: 'source', message: 'Requires the permission leads:read' },
    ]);
    service.crm.owners.clear();
  });
});

it('a file of calendar events is for those who requested it, because private events have their content for members only', async () => {
  setRecords('listCalendarEvents', { id: '1', title: 'Interview' });
  const api = service.as({ userId });
  const { id } = await exported(api, { source: 'calendar_events' });
  const colleague = service.as({ tenantId: api.caller.tenantId as number, userId: Number(members.seller) });
  expect([(await colleague.getExport({ params: { id } })).status, (await colleague.listExports()).data]).toEqual([
    404,
    [],
  ]);
});

it('a cell of any source that a spreadsheet would run begins with an apostrophe', async () => {
  setRecords('listCampaigns', { id: '1', name: '=HYPERLINK("x")' });
  setRecords('listPartners', { id: '1', company: '+1', lastName: '@x', firstName: '-1' });
  setRecords('listMessages', { id: '1', subject: '\t=1' });
  const api = service.as({ userId });
  const rowOf = async (source: string, columns: string[]) =>
    (await fileOf(await exported(api, { source, columns }))).split('\r\n')[1];
  expect(await rowOf('campaigns', ['name'])).toBe(`"'=HYPERLINK(""x"")"`);
  expect(await rowOf('partners', ['company', 'lastName', 'firstName'])).toBe(`'+1,'@x,'-1`);
  expect(await rowOf('messages', ['subject'])).toMatch(/^"?'/);
});

it('an erasure removes the rows about the person from the files of all sources', async () => {
  const api = service.as({ userId });
  const tenantId = api.caller.tenantId as number;
  const other = { leadId: '8', email: 'grace@example.com' };
  setRecords('listPartners', { id: '1', email: 'Ada@example.com' }, { id: '2', ...other });
  for (const list of ['listReferrals', 'listDealRegistrations', 'listMessages', 'listCommissions'])
    setRecords(list, { id: '1', leadId: '7' }, { id: '2', ...other });
  setRecords('listTasks', { id: '1', title: 'Call Ada' }, { id: '2', title: 'Call Grace' });
  setRecords('listOpportunities', { id: '5', name: 'Deal with Ada' }, { id: '6', name: 'Deal with Grace' });
  const files = [];
  const read = ['partners', 'referrals', 'deal_registrations', 'messages', 'commissions', 'tasks', 'opportunities'];
  for (const source of read) files.push(await exported(api, { source, format: 'ndjson' }));
  // No column of these files names a record or an address.
  for (const source of ['partners', 'messages'])
    files.push(await exported(api, { source, format: 'ndjson', columns: ['createdAt'] }));
  const named = await exported(api, { source: 'partners', filters: { search: 'ada@example.com' } });
  expect(await rowsOf(api)).toBe(2 * files.length);

  await eraseAda(tenantId, api, {
    leadIds: [7],
    leadCodes: [ids.encode('lead', tenantId, 7)],
    recordCodes: [ids.encode('task', tenantId, 1)],
    opportunityIds: [5],
  });
  expect(await rowsOf(api)).toBe(files.length);
  for (const { id } of files) {
    const { data } = await api.getExport({ params: { id } });
    expect((await fileOf(data)).trim().split('\n')).toHaveLength(1);
  }
  expect((await api.getExport({ params: { id: named.id } })).data.filters).toEqual({});
});

it('an erasure cancels an export that is still to be read, as a person would', async () => {
  const api = service.as({ userId });
  const tenantId = api.caller.tenantId as number;
  setRecords('listPartners', { id: '1', email: 'ada@example.com' });
  const { id } = await exported(api, { source: 'partners', filters: { search: 'ada@example.com' } });
  // As if it was still running: its removal is not scheduled yet.
  await service.sqlWithin(api.caller, `UPDATE export SET status = 'running', completed_at = NULL, expires_at = NULL`);
  await service.sqlWithin(api.caller, `DELETE FROM platform.job WHERE name = 'remove-export-rows'`);
  await eraseAda(tenantId, api);
  const { data } = await api.getExport({ params: { id } });
  expect([data.status, data.filters, data.allowedTransitions]).toEqual(['cancelled', {}, []]);
  expect(data.completedAt).not.toBeNull();
  await until('its rows are removed', async () => (await rowsOf(api)) === null);
  await until('it is announced', () =>
    service.events.some(({ name, target, tenantId: of }) => name === 'export.cancelled' && of === tenantId && target),
  );
});

async function eraseAda(tenantId: number, api: Api, fields: Partial<Parameters<typeof aPerson>[0]> = {}) {
  await publish({ service, tenantId }, 'personal_data.erasure_requested', {
    target: { type: 'erasure', id: 1 },
    data: { person: aPerson({ emails: ['ada@example.com'], ...fields }), services: ['analytics'] },
    record: { id: '1' },
  });
  await until('analytics has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    return service.events.find(({ name, tenantId: of }) => name === 'personal_data.erased' && of === tenantId);
  });
}

/** How many rows are stored for the files of a tenant. */
async function rowsOf({ caller }: Api) {
  const [row] = await service.sqlWithin(caller, 'SELECT sum(jsonb_array_length(rows))::int AS rows FROM export_chunk');
  return row?.['rows'];
}
