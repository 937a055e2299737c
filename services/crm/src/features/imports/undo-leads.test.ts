import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';

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

const reaches = (api: Api, id: string, status: string) =>
  until(`the import is ${status}`, async () => {
    const { data } = await api.getLeadImport({ params: { id } });
    return data.status === status && data;
  });

async function imported(api: Api, content: string): Promise<string> {
  const dedupe = { by: 'email', action: 'update' };
  const { data } = await api.createLeadImport({ body: { fileId: files.add(content), dedupe } });
  await reaches(api, data.id, 'validated');
  await api.startLeadImport({ params: { id: data.id } });
  await reaches(api, data.id, 'completed');
  return data.id;
}

async function undone(api: Api, id: string) {
  await api.undoLeadImport({ params: { id } });
  const { jobId } = await reaches(api, id, 'undone');
  return (await api.getJob({ params: { id: jobId } })).data.result;
}

const columns = 'email,vorname,nachname';

describe('undoing an import of leads', () => {
  it('keeps a lead that others were merged into', async () => {
    const api = service.as();
    const id = await imported(api, `${columns}\nada@example.com,Ada,Lovelace\ngrace@example.com,Grace,Hopper\n`);
    const { data: own } = await api.createLead({ body: aLead({ email: 'own@example.com' }) });
    const { data: found } = await api.listLeads({ query: { search: 'ada@example.com' } });
    await api.mergeLeads({ params: { id: found[0].id }, body: { mergeIds: [own.id] } });
    expect(await undone(api, id)).toEqual({ deleted: 1, restored: 0, kept: 1 });
    expect((await api.getLead({ params: { id: found[0].id } })).status).toBe(200);
  });

  it('counts a lead that it created and updated once', async () => {
    const api = service.as();
    const id = await imported(api, `${columns}\nada@example.com,Ada,Lovelace\nada@example.com,Ada,Byron\n`);
    expect(await undone(api, id)).toEqual({ deleted: 1, restored: 0, kept: 0 });
  });

  it('gives back the former status, assignee and score, each with its event and history', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com', score: 10 }) });
    await api.changeLeadStatus({ params: { id: lead.id }, body: { status: 'qualified' } });
    const row = `ada@example.com,Ada,Lovelace,unqualified,90,user${members.seller}@identity.example`;
    const id = await imported(api, `${columns},status,score,owner\n${row}\n`);
    const seen = service.events.length;
    // From unqualified, only contacted is a transition that a request can make.
    expect(await undone(api, id)).toEqual({ deleted: 0, restored: 1, kept: 0 });
    const { data } = await api.getLead({ params: { id: lead.id } });
    expect(data).toMatchObject({ status: 'qualified', score: 10, assignedTo: null });
    const { data: history } = await api.listLeadScoreHistory({ params: { id: lead.id } });
    expect(history[0]).toMatchObject({ score: 10, delta: -80 });
    const names = ['lead.status_changed', 'lead.assigned', 'lead.score_threshold_crossed'];
    await until('the events arrive', () => {
      const later = service.events.slice(seen).filter(({ target }) => target.id === Number(lead.id));
      return names.every((name) => later.some((one) => one.name === name));
    });
  });
});
