import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, type TestService, teams, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { knownPartnerId, partnerPeer } from '../../partner-peer.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let files: Awaited<ReturnType<typeof filesPeer>>;
let partners: Awaited<ReturnType<typeof partnerPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  [identity, files, partners] = await Promise.all([identityPeer(), filesPeer(), partnerPeer()]);
  service = await startCrm({ IDENTITY_URL: identity.url, FILES_URL: files.url, PARTNER_URL: partners.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), files?.close(), partners?.close()]);
});

type Api = ReturnType<typeof service.as>;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);

/** The public ids that a file of the tenant has. */
const idsFor = (api: Api) => ({
  team: (id: string) => ids.encode('team', api.caller.tenantId as number, Number(id)),
  partner: (id: string) => ids.encode('partner', api.caller.tenantId as number, Number(id)),
});

const reaches = (api: Api, id: string, status: string) =>
  until(`the import is ${status}`, async () => {
    const { data } = await api.getOpportunityImport({ params: { id } });
    return data.status === status && data;
  });

async function checked(api: Api, content: string, body: object = {}) {
  const { data } = await api.createOpportunityImport({ body: { fileId: files.add(content), ...body } });
  return reaches(api, data.id, 'validated');
}

async function imported(api: Api, content: string, body: object = {}) {
  const { id } = await checked(api, content, body);
  await api.startOpportunityImport({ params: { id } });
  return reaches(api, id, 'completed');
}

const dealsOf = async (api: Api) =>
  (await api.listOpportunities({ query: { sort: 'name' } })).data.map(
    ({ name, teamId, partnerId }: Record<string, unknown>) => [name, teamId, partnerId],
  );

describe('an import of opportunities with teams and partners', () => {
  it('gives deals those of their row before those of their lead', async () => {
    const api = service.as({ userId: 5 });
    const { team, partner } = idsFor(api);
    await api.createLead({ body: aLead({ externalId: 'L1', teamId: teams.sales }) });
    await service.sqlWithin(api.caller, 'UPDATE lead SET partner_id = 32');
    const support = team(teams.support);
    const file = `name,lead,teamId,partnerId
Inherits,L1,,
Named,L1,${support},${partner(knownPartnerId)}
Wrong,,${partner(knownPartnerId)},${support}
Unknown,,${team('99')},${partner('98')}
`;
    identity.asked.length = 0;
    const found = await checked(api, file);
    expect(found.counts).toMatchObject({ valid: 2, invalid: 2 });
    expect(identity.asked.filter((path) => path === `/internal/teams/${teams.support}`)).toHaveLength(1);
    await api.startOpportunityImport({ params: { id: found.id } });
    await reaches(api, found.id, 'completed');
    expect(await dealsOf(api)).toEqual([
      ['Inherits', teams.sales, '32'],
      ['Named', teams.support, knownPartnerId],
    ]);
    const { text } = await api.getOpportunityImportErrors({ params: { id: found.id } });
    const lines = text.trim().split('\r\n').slice(1);
    expect(lines.map((line: string) => line.split(',', 3).join())).toEqual([
      '4,teamId,teamId',
      '4,partnerId,partnerId',
      '5,teamId,teamId',
      '5,partnerId,partnerId',
    ]);
  });

  it('fills the fields that a pipeline requires, and changes those of existing deals', async () => {
    const api = service.as({ userId: 5 });
    const { team, partner } = idsFor(api);
    const [pipeline] = (await api.listPipelines()).data;
    await api.createOpportunity({ body: { name: 'Old' } });
    const rules = { requiredFields: { prospecting: ['teamId', 'partnerId'] } };
    await api.setPipelineRules({ params: { id: pipeline.id }, body: rules });
    const named = `${team(teams.sales)},${partner(knownPartnerId)}`;
    const dedupe = { by: 'name', action: 'update' };
    const done = await imported(api, `name,teamId,partnerId\nOld,${named}\nNew,${named}\nNone,,\n`, { dedupe });
    expect(done.counts).toMatchObject({ created: 1, updated: 1, failed: 1 });
    expect(await dealsOf(api)).toEqual(['New', 'Old'].map((name) => [name, teams.sales, knownPartnerId]));
    await api.undoOpportunityImport({ params: { id: done.id } });
    await reaches(api, done.id, 'undone');
    expect(await dealsOf(api)).toEqual([['Old', null, null]]);
  });

  it('needs the permission for partners if a column has them', async () => {
    const permissions = ['opportunities:write', 'opportunities:read', 'files:read', 'leads:read', 'accounts:read'];
    const api = service.as({ userId: 5, permissions });
    const { partner } = idsFor(api);
    const file = `name,partnerId\nRollout,${partner(knownPartnerId)}\n`;
    const mapping = { name: 'name', partnerId: 'partnerId' };
    const refused = await api.createOpportunityImport({ body: { fileId: files.add(file), mapping } });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    const { id } = await checked(api, file);
    const params = { id };
    expect((await api.startOpportunityImport({ params })).status).toBe(403);
    expect((await api.updateOpportunityImport({ params, body: { defaults: { notes: 'x' } } })).status).toBe(403);
    expect((await api.updateOpportunityImport({ params, body: { mapping: { name: 'name' } } })).status).toBe(200);
    await reaches(api, id, 'validated');
    expect((await api.startOpportunityImport({ params })).status).toBe(202);
    await reaches(api, id, 'completed');
  });
});
