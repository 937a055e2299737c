import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { filesPeer } from '../imports/files-peer.test-service.ts';

// The part of crm in an erasure; e2e/src/erasure.test.ts covers all services together.

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

const create = async (api: Api, body: object = {}) => (await api.createLead({ body: { ...aLead(), ...body } })).data;

/** Erases a lead and waits until crm has reported it; the second run follows at once. */
async function erase(api: Api, leadId: string): Promise<Record<string, number>> {
  const { tenantId } = api.caller;
  const seen = service.events.length;
  expect((await api.eraseLead({ params: { id: leadId } })).status).toBe(202);
  return until('crm has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    const report = service.events
      .slice(seen)
      .find(({ name, tenantId: of }) => name === 'personal_data.erased' && of === tenantId);
    return (report?.data as { erased: Record<string, number> } | undefined)?.erased;
  });
}

it('leaves the records of people with a similar address or name', async () => {
  const api = service.as();
  const lee = await create(api, { email: 'lee@acme.com', firstName: 'Lee', lastName: 'Era' });
  const ashlee = await create(api, { email: 'ashlee@acme.com', firstName: 'Lee', lastName: 'Erasmus' });
  const content = 'email,first name,last name\nlee@acme.com,Lee,Era\nashlee@acme.com,Lee,Erasmus\n';
  const { data: created } = await api.createLeadImport({ body: { fileId: files.add(content) } });
  const id = created.id;
  const isChecked = async () => (await api.getLeadImport({ params: { id } })).data.status === 'validated';
  await until('the file is checked', isChecked);
  const deal = await api.createOpportunity({
    body: { name: 'Lee Erasmus', leadId: ashlee.id, currency: 'EUR', notes: 'As Lee Era said' },
  });
  const start = Date.now() + 86_400_000;
  const attendees = [lee, ashlee].map(({ email }) => ({ email, name: 'Lee' }));
  const event = await api.createCalendarEvent({
    body: {
      title: 'Round table',
      startAt: new Date(start).toISOString(),
      endAt: new Date(start + 3_600_000).toISOString(),
      attendees,
    },
  });
  expect(event.status).toBe(201);

  const erased = await erase(api, lee.id);
  expect(erased).toMatchObject({ importRows: 1, importPreviews: 1, attendances: 1 });
  expect((await api.getLead({ params: { id: ashlee.id } })).data).toMatchObject({ lastName: 'Erasmus', version: 1 });
  expect((await api.getOpportunity({ params: { id: deal.data.id } })).data).toMatchObject({
    name: 'Lee Erasmus',
    notes: 'As Lee Era said',
  });
  const { data: meeting } = await api.getCalendarEvent({ params: { id: event.data.id } });
  expect(meeting).toMatchObject({ title: 'Round table', attendees: [{ email: 'ashlee@acme.com' }] });
  const { data: kept } = await api.getLeadImport({ params: { id } });
  expect(kept.preview).toMatchObject([{ values: { email: 'ashlee@acme.com' } }]);
});

it('removes the person from exported files, also from those without addresses and ids', async () => {
  const api = service.as({ userId: Number(users.active) });
  const ada = await create(api, { firstName: 'Ada' });
  await create(api, { firstName: 'Grace' });
  const { data: started } = await api.createLeadExport({ body: { format: 'csv', columns: ['firstName'] } });
  await until('the export ends', async () => {
    const { data } = await api.getJob({ params: { id: started.jobId } });
    return data.completedAt !== null;
  });
  const rows = async () => (await service.sqlWithin(api.caller, 'SELECT rows FROM export_chunk'))[0]?.['rows'];
  expect(await rows()).toEqual(expect.arrayContaining([['Ada'], ['Grace']]));
  expect(await erase(api, ada.id)).toMatchObject({ exportRows: 1 });
  expect(await rows()).toEqual([['Grace']]);
});

it('ends for a name that is part of the text that replaces it, and keeps texts that do not mention the person', async () => {
  const api = service.as();
  const lead = await create(api, { firstName: 'Era', lastName: 'Istrefi' });
  const about = { leadId: lead.id, currency: 'EUR' };
  const [named, other] = [
    (await api.createOpportunity({ body: { name: 'Era Istrefi', ...about } })).data,
    (await api.createOpportunity({ body: { name: 'Several licences', ...about } })).data,
  ];
  const task = (await api.createTask({ body: { title: 'Send the offer', opportunityId: named.id } })).data;
  await api.createSubtask({ params: { id: task.id }, body: { title: 'Ask Era' } });
  await erase(api, lead.id);
  const nameOf = async (id: string) => (await api.getOpportunity({ params: { id } })).data.name;
  expect([await nameOf(named.id), await nameOf(other.id)]).toEqual(['Erased', 'Several licences']);
  expect((await api.getTask({ params: { id: task.id } })).data.title).toBe('Send the offer');
  expect((await api.listSubtasks({ params: { id: task.id } })).data).toMatchObject([{ title: 'Erased' }]);
});

it('ends for a mention that is followed by a character that only one of the tests counts as a letter', async () => {
  const api = service.as();
  const lead = await create(api, { firstName: 'Ada', lastName: 'Lovelace' });
  const { data: deal } = await api.createOpportunity({
    body: { name: 'Licences', leadId: lead.id, currency: 'EUR' },
  });
  const text = 'See Lovelace² and Lovelace½';
  const { data: task } = await api.createTask({ body: { title: text, opportunityId: deal.id } });
  const startAt = new Date(Date.now() + 86_400_000).toISOString();
  const endAt = new Date(Date.now() + 90_000_000).toISOString();
  const { data: event } = await api.createCalendarEvent({
    body: { title: text, startAt, endAt, opportunityId: deal.id },
  });
  await erase(api, lead.id);
  expect((await api.getTask({ params: { id: task.id } })).data.title).toBe('Erased');
  expect((await api.getCalendarEvent({ params: { id: event.id } })).data.title).toBe('Erased');
});

it('erases more deals than one batch holds', async () => {
  const api = service.as();
  const lead = await create(api);
  const first = (await api.createOpportunity({ body: { name: 'Licences', leadId: lead.id, currency: 'EUR' } })).data;
  await service.sqlWithin(
    api.caller,
    `INSERT INTO opportunity (name, lead_id, currency, value, value_minor, pipeline_id, stage, stage_id, status, probability, notes)
     SELECT name, lead_id, currency, value, value_minor, pipeline_id, stage, stage_id, status, probability, 'On sick leave'
     FROM opportunity CROSS JOIN generate_series(1, 250) WHERE id = ${first.id}`,
  );
  await erase(api, lead.id);
  const left = await service.sqlWithin(api.caller, 'SELECT 1 FROM opportunity WHERE notes IS NOT NULL');
  expect(left).toEqual([]);
});

it('an export needs permission to read all that it contains', async () => {
  const api = service.as();
  const lead = await create(api);
  const tenantId = api.caller.tenantId as number;
  const read = ['opportunities', 'tasks', 'calendar', 'activities', 'files', 'training', 'audit'].map(
    (resource) => `${resource}:read`,
  );
  const exportWith = async (permissions: string[]) => {
    const limited = service.as({ tenantId, can: ['leads:manage', 'leads:read', ...permissions] }) as Api;
    return (await limited.exportLeadData({ params: { id: lead.id } })).status;
  };
  // The other services do not run here.
  expect(await exportWith(read)).toBe(503);
  for (const missing of read)
    expect([missing, await exportWith(read.filter((one) => one !== missing))]).toEqual([missing, 403]);
});
