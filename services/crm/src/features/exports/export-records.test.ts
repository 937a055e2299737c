import type { crm } from '@tandem/crm-contract';
import { xlsxType } from '@tandem/exports';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { filesPeer } from '../imports/files-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let files: Awaited<ReturnType<typeof filesPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  [identity, files] = await Promise.all([identityPeer(), filesPeer()]);
  service = await startCrm({ IDENTITY_URL: identity.url, FILES_URL: files.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), files?.close()]);
});

type Api = ReturnType<typeof service.as>;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const userId = Number(users.active);

async function exported(api: Api, body: object) {
  const reply = await api.createLeadExport({ body });
  expect(reply.status).toBe(202);
  return ended(api, reply.data.jobId);
}

const ended = (api: Api, id: string) =>
  until('the export ends', async () => {
    const { data } = await api.getJob({ params: { id } });
    return data.completedAt !== null && data;
  });

function download(url: string) {
  const { caller } = service.as({ type: 'anonymous' });
  const { tenantId, ...nobody } = caller;
  const token = url.slice('https://api.example.com/v1/public/exports/'.length);
  return service.send(service.operations.downloadExport, { params: { token } }, nobody);
}

it('exports what the list shows as CSV, without formulas, with the ids that clients know', async () => {
  const api = service.as({ userId });
  const { data: ada } = await api.createLead({
    body: aLead({ firstName: '=1+1', tags: ['a', 'b'], source: 'web', customFields: { industry: 'x, "y"' } }),
  });
  await api.createLead({ body: aLead({ source: 'api' }) });
  const columns = ['id', 'firstName', 'tags', 'customFields.industry', 'assignedTo'];
  const job = await exported(api, { format: 'csv', columns, filter: { source: 'web' } });
  expect(job).toMatchObject({ kind: 'lead_export', status: 'completed', result: { rows: 1, format: 'csv' } });
  const { status, text, headers } = await download(job.download.url);
  const code = ids.encode('lead', api.caller.tenantId as number, Number(ada.id));
  expect([status, text]).toEqual([200, `${columns.join()}\r\n${code},'=1+1,"a, b","x, ""y""",\r\n`]);
  expect(headers['content-disposition']).toMatch(/lead-export\.csv/);
  await until('the download is recorded', () =>
    service.events.some((one) => one.name === 'export.downloaded' && one.caller.userId === userId),
  );
  const all = await exported(api, { format: 'csv' });
  expect((await download(all.download.url)).text.split('\r\n')[0]).toMatch(/^id,email,firstName,lastName,phone,/);
});

it('counts all pages when it continues after a crash that lost the progress', async () => {
  const api = service.as({ userId });
  for (const email of ['one@example.com', 'two@example.com']) await api.createLead({ body: aLead({ email }) });
  const sql = (text: string, values?: unknown[]) => service.sqlWithin(api.caller, text, values);
  const { jobId } = await exported(api, { format: 'csv', columns: ['email'] });
  await sql(`UPDATE platform.background_job SET status = 'running', completed_at = NULL, result = NULL, done = 0`);
  await sql(
    `INSERT INTO platform.job (name, payload, due_at) VALUES ('export-records', jsonb_build_object('jobId', $1::text), now())`,
    [jobId],
  );
  const job = await ended(api, jobId);
  expect([job.progress, job.result.rows]).toEqual([{ done: 2, total: 2 }, 2]);
});

it('exports XLSX files', async () => {
  const api = service.as({ userId });
  await api.createLead({ body: aLead({ firstName: 'A<d>a & "Co"', score: 7.5 }) });
  const job = await exported(api, { format: 'xlsx', columns: ['email', 'firstName', 'score'] });
  const { status, headers } = await download(job.download.url);
  expect([status, headers['content-type']]).toEqual([200, xlsxType]);
});

it('exports only what a narrowed caller may read', async () => {
  const api = service.as({ userId });
  const tenantId = api.caller.tenantId as number;
  await api.createLead({ body: aLead({ email: 'other@example.com' }) });
  await api.createLead({ body: aLead({ email: 'own@example.com', assignedTo: members.seller }) });
  await service.as({ tenantId, environment: 'sandbox' }).createLead({ body: aLead({ email: 'sandbox@example.com' }) });
  const seller = service.as({ tenantId, userId: Number(members.seller), can: ['leads:read:own'] });
  const job = await exported(seller, { format: 'csv', columns: ['email'] });
  expect((await download(job.download.url)).text).toBe('email\r\nown@example.com\r\n');
  const colleague = service.as({ tenantId, userId: Number(members.both), can: ['leads:read:own'] });
  expect((await colleague.getJob({ params: { id: job.jobId } })).status).toBe(404);
  expect((await service.as().getJob({ params: { id: job.jobId } })).status).toBe(404);
});

it('refuses unknown columns and filters, changed links, and links of users who left', async () => {
  const api = service.as({ userId: Number(members.both) });
  const refused = await api.createLeadExport({ body: { format: 'csv', columns: ['email', 'salary'] } });
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'columns.1']);
  expect((await api.createLeadExport({ body: { format: 'csv', filter: { salary: 1 } } })).status).toBe(422);
  const job = await exported(api, { format: 'csv', columns: ['email'] });
  expect((await download(`${job.download.url}x`)).status).toBe(404);
  identity.teamsOf.delete(members.both);
  expect((await download(job.download.url)).status).toBe(404);
});

it('exports a defined custom field and the state of a consent as columns, and names them for a wrong one', async () => {
  const api = service.as({ userId });
  const field = { entityType: 'lead', key: 'tier', label: 'Tier', type: 'text' };
  expect((await api.createCustomField({ body: field })).status).toBe(201);
  const consent = { email: { state: 'granted' } };
  await api.createLead({ body: aLead({ email: 'ada@example.com', customFields: { tier: 'gold' }, consent }) });
  const columns = ['email', 'customFields.tier', 'consent.email', 'consent.sms'];
  const filter = { customFields: { tier: 'gold' } };
  const job = await exported(api, { format: 'csv', columns, filter });
  expect((await download(job.download.url)).text).toBe(`${columns}\r\nada@example.com,gold,granted,\r\n`);
  const wrong = ['tier', 'consent.fax'];
  const refused = await api.createLeadExport({ body: { format: 'csv', columns: wrong } });
  expect(refused.body.errors).toHaveLength(wrong.length);
  for (const { message } of refused.body.errors ?? []) expect(message).toMatch(/customFields\.<key>, consent\.email/);
  const ofTask = await api.createTaskExport({ body: { format: 'csv', columns: ['customFields.tier'] } });
  expect([ofTask.status, ofTask.text.includes('customFields.<key>')]).toEqual([422, false]);
});

it('exports opportunities and tasks by the filters of their lists', async () => {
  const api = service.as({ userId });
  const { data: lead } = await api.createLead({ body: aLead() });
  await api.convertLead({ body: { leadId: lead.id, name: 'Rollout', value: 12.5 } });
  await api.createTask({ body: { title: 'Call back', priority: 'high' } });
  await api.createTask({ body: { title: 'Wait', priority: 'low' } });
  const finished = ({ data }: { data: { jobId: string } }) => ended(api, data.jobId);
  const columns = ['name', 'value', 'currency', 'stage'];
  const deals = await finished(await api.createOpportunityExport({ body: { format: 'csv', columns } }));
  expect((await download(deals.download.url)).text).toBe(`${columns}\r\nRollout,12.5,EUR,prospecting\r\n`);
  const body = { format: 'csv', columns: ['title'], filter: { priority: 'high' } };
  const tasks = await finished(await api.createTaskExport({ body }));
  expect((await download(tasks.download.url)).text).toBe('title\r\nCall back\r\n');
});

it('sends an export only while the permission of its user reaches all of its records', async () => {
  const id = members.seller;
  const api = service.as({ userId: Number(id), teamIds: [Number(teams.sales)] });
  const narrowed = (can: string[]) =>
    service.as({ tenantId: api.caller.tenantId as number, userId: Number(id), teamIds: [Number(teams.sales)], can });
  const formerTeams = identity.teamsOf.get(id) as string[];
  await api.createLead({ body: aLead() });
  const body = { format: 'csv', columns: ['email'] };
  const all = await exported(api, body);
  const ofTeam = await exported(narrowed(['leads:read:team']), body);
  const own = await exported(narrowed(['leads:read:own']), body);
  const statuses = async (reach: string) => {
    identity.permissions.set(id, [reach]);
    const replies = await Promise.all([all, ofTeam, own].map(({ download: { url } }) => download(url)));
    return replies.map(({ status }) => status);
  };
  try {
    expect(await statuses('leads:read')).toEqual([200, 200, 200]);
    expect(await statuses('leads:read:team')).toEqual([404, 200, 200]);
    expect(await statuses('leads:read:own')).toEqual([404, 404, 200]);
    // The user changes to another team.
    identity.teamsOf.set(id, [teams.support]);
    expect(await statuses('leads:read:team')).toEqual([404, 404, 200]);
  } finally {
    identity.teamsOf.set(id, formerTeams);
    identity.permissions.delete(id);
  }
});

it('exports ids inside of other fields as clients know them', async () => {
  const api = service.as({ userId });
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: deal } = await api.convertLead({ body: { leadId: lead.id, name: 'Rollout' } });
  await api.winOpportunity({ params: { id: deal.id }, body: {} });
  const body = { format: 'csv', columns: ['outcome'] };
  const { data: started } = await api.createOpportunityExport({ body });
  const job = await ended(api, started.jobId);
  const { text } = await download(job.download.url);
  const code = ids.encode('user', api.caller.tenantId as number, userId);
  expect(text).toContain(`""byUserId"":""${code}""`);
});
