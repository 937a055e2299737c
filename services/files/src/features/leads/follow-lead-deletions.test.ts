import { randomUUID } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { aPerson, publish, publishLeadDeletion, publishLeadMerge, until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';
import { links, request, tokenOf, uploadPdf } from '../signatures/signatures.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
let leads = 100;

/** A tenant with a lead, which crm announces to be deleted or restored. */
function aLead(environment: 'live' | 'sandbox' = 'live') {
  const api = service.as({ environment });
  const tenantId = api.caller.tenantId as number;
  const leadId = String(++leads);
  const code = ids.encode('lead', tenantId, leads);
  const told = { service, tenantId, environment };
  const announce = (name: 'lead.deleted' | 'lead.restored', version: number, more: object = {}) =>
    publishLeadDeletion(told, name, { leadId, version, ...more });
  const attach = async (entityId = code, entityType = 'lead') => {
    const file = { content: 'Numbers', filename: 'notes.txt', contentType: 'text/plain' };
    return (await api.uploadFile({ form: { fields: { entityType, entityId }, file } })).data.id as string;
  };
  return { api, told, leadId, code, announce, attach };
}

const listed = async (api: Api, query: Record<string, string> = {}) =>
  (await api.listFiles({ query: { sort: 'createdAt', ...query } })).data.map(({ id }: { id: string }) => id);
const deleted = (api: Api) => listed(api, { deleted: 'true' });
const hold = { reason: 'Dispute 2026-17' };

/** Lets the next look at the files of a lead, which is a day away, come now. */
async function lookAgain({ api, leadId }: ReturnType<typeof aLead>): Promise<void> {
  const due = `UPDATE platform.job SET due_at = now() WHERE name = 'follow-files-of-lead' AND payload->>'leadId' = $1 RETURNING id`;
  await until(
    'the job waits for its next run',
    async () => (await service.sqlWithin(api.caller, due, [leadId])).length > 0,
  );
}

it('the files of a deleted lead are deleted with it and come back with it, and no others', async () => {
  const lead = aLead();
  const { api, announce, attach } = lead;
  const [one, two] = [await attach(), await attach()];
  const [ofDeal, ofOther] = [await attach(lead.code, 'opportunity'), await attach('another')];
  const before = await attach();
  await api.deleteFile({ params: { id: before } });
  await announce('lead.deleted', 2);
  await until('its files are deleted', async () => (await deleted(api)).length === 3);
  expect(await listed(api)).toEqual([ofDeal, ofOther]);
  const events = await until('both events arrive', () => {
    const found = service.events.filter(
      ({ name, tenantId }) => name === 'file.deleted' && tenantId === api.caller.tenantId,
    );
    return found.length === 3 && found;
  });
  expect(events.slice(1).map(({ data }) => data)).toEqual([
    { fileId: one, permanent: false },
    { fileId: two, permanent: false },
  ]);
  await announce('lead.restored', 3);
  await until('they are back', async () => (await listed(api)).length === 4);
  expect([await listed(api), await deleted(api)]).toEqual([[one, two, ofDeal, ofOther], [before]]);
});

it('an event of an earlier version that arrives later changes nothing', async () => {
  const { api, announce, attach } = aLead();
  const file = await attach();
  await announce('lead.restored', 3);
  await announce('lead.deleted', 2);
  const other = aLead();
  await other.attach();
  await other.announce('lead.deleted', 2);
  await until('a later event is handled', async () => (await listed(other.api)).length === 0);
  expect(await listed(api)).toEqual([file]);
});

it('the same event twice deletes once', async () => {
  const { api, announce, attach } = aLead();
  const file = await attach();
  const id = randomUUID();
  await announce('lead.deleted', 2, { id });
  await until('the file is deleted', async () => (await deleted(api)).length === 1);
  await api.restoreFile({ params: { id: file } });
  await announce('lead.deleted', 2, { id });
  const other = aLead();
  await other.attach();
  await other.announce('lead.deleted', 2);
  await until('a later event is handled', async () => (await deleted(other.api)).length === 1);
  expect(await listed(api)).toEqual([file]);
});

it('an event that cannot be read becomes a dead letter', async () => {
  await service.publish('lead.deleted', Buffer.from('nonsense'), randomUUID());
  await until('it is a dead letter', async () => (await service.deadLetters('follow-lead-deletions')).length === 1);
});

it('a held file and one that people are signing stay until they are released', async () => {
  const lead = aLead('sandbox');
  const { api, announce, attach, code } = lead;
  const [held, free] = [await attach(), await attach()];
  await api.holdFile({ params: { id: held }, body: hold });
  const { id: signing } = await uploadPdf(api);
  await api.updateFile({ params: { id: signing }, body: { entityType: 'lead', entityId: code } });
  const { data: asked } = await request(api, signing);
  await announce('lead.deleted', 2);
  await until('the other one is deleted', async () => (await deleted(api)).length === 1);
  expect([await listed(api), await deleted(api)]).toEqual([[held, signing], [free]]);
  await api.releaseFile({ params: { id: held }, body: { reason: 'Settled' } });
  await lookAgain(lead);
  await until('the released one is deleted', async () => (await deleted(api)).length === 2);
  await links(service).decline(tokenOf(asked.signers[0]));
  await lookAgain(lead);
  await until('the last one is deleted', async () => (await listed(api)).length === 0);
});

it('a file that a user restores stays, although others still wait', async () => {
  const lead = aLead();
  const { api, announce, attach } = lead;
  const [held, file] = [await attach(), await attach()];
  await api.holdFile({ params: { id: held }, body: hold });
  await announce('lead.deleted', 2);
  await until('the file is deleted', async () => (await deleted(api)).length === 1);
  await api.restoreFile({ params: { id: file } });
  await api.releaseFile({ params: { id: held }, body: { reason: 'Settled' } });
  await lookAgain(lead);
  await until('the held one is deleted', async () => (await deleted(api)).includes(held));
  expect(await listed(api)).toEqual([file]);
});

it('the files of a merged lead go to the one that remains instead', async () => {
  const { api, told, leadId, attach } = aLead();
  const file = await attach();
  await publishLeadMerge(told, { leadId, into: '99', version: 2 });
  const survivor = ids.encode('lead', told.tenantId, 99);
  await until('the file has moved', async () => (await listed(api, { entityId: survivor })).length === 1);
  expect([await listed(api), await deleted(api)]).toEqual([[file], []]);
});

describe('an erasure', () => {
  const erase = async ({ told, leadId, code }: ReturnType<typeof aLead>) => {
    const person = aPerson({ leadIds: [Number(leadId)], leadCodes: [code] });
    const target = { type: 'erasure', id: 7 };
    await publish(told, 'personal_data.erasure_requested', {
      ...{ target, data: { person, services: ['files'] }, record: { id: '7' } },
    });
    // The second run is for events that were still on their way.
    const due = `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person' AND (payload->>'isLate')::boolean RETURNING id`;
    const { caller } = service.as({ tenantId: told.tenantId });
    await until('the second run waits', async () => (await service.sqlWithin(caller, due)).length > 0);
    const report = await until('the erasure is reported', () =>
      service.events.find(({ name, tenantId }) => name === 'personal_data.erased' && tenantId === told.tenantId),
    );
    return (report.data as { erased: Record<string, number> }).erased;
  };

  it('removes pending uploads and their parts, and names the number of files that must be kept, by reason', async () => {
    const lead = aLead();
    const { api, attach, code } = lead;
    const tenantId = api.caller.tenantId as number;
    const ofTenant = async () => (await service.stored()).filter((path) => new RegExp(`[/]${tenantId}[/_]`).test(path));
    const [free, held, kept] = [await attach(), await attach(), await attach()];
    await api.holdFile({ params: { id: held }, body: hold });
    const retainUntil = new Date(Date.now() + 86_400_000).toISOString();
    await api.updateFile({ params: { id: kept }, body: { retainUntil } });
    const body = { filename: 'a', contentType: 'a/b', size: 10, entityType: 'lead', entityId: code };
    const { data: upload } = await api.createPresignedUpload({ body });
    const params = { id: upload.fileId };
    const { data: signed } = await api.signParts({ params, body: { partNumbers: [1] } });
    const { tenantId: _, ...nobody } = service.as({ type: 'anonymous' }).caller;
    const putPart = () => {
      const token = signed.parts[0].uploadUrl.slice(`${publicUrl}/v1/public/files/`.length);
      const raw = { content: '12345', type: 'a/b' };
      return service.send(service.operations.storeUpload, { params: { token }, raw }, nobody);
    };
    expect((await putPart()).status).toBe(200);
    expect(await ofTenant()).toHaveLength(4);
    expect(await erase(lead)).toEqual({ files: 2, filesKeptByHold: 1, filesKeptByRetention: 1 });
    expect((await listed(api)).sort()).toEqual([held, kept].sort());
    await until('the bytes and parts are removed', async () => (await ofTenant()).length === 2);
    expect([(await putPart()).status, (await api.getFile({ params: { id: free } })).status]).toEqual([404, 404]);
  });

  it('removes what it kept once that is released', async () => {
    const lead = aLead();
    const { api, attach, announce } = lead;
    const held = await attach();
    await api.holdFile({ params: { id: held }, body: hold });
    await announce('lead.deleted', 2, { isErased: true });
    expect(await erase(lead)).toEqual({ filesKeptByHold: 1 });
    await lookAgain(lead);
    await api.releaseFile({ params: { id: held }, body: { reason: 'Settled' } });
    await lookAgain(lead);
    await until('it is removed', async () => !(await listed(api)).length && !(await deleted(api)).length);
    const event = await until('it is announced', () =>
      service.events.findLast(({ name, tenantId }) => name === 'file.deleted' && tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({ data: { permanent: true }, record: { filename: 'erased' } });
  });
});
