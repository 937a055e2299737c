import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
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
    const { data } = await api.getOpportunityImport({ params: { id } });
    return data.status === status && data;
  });

async function imported(api: Api, content: string, body: object = {}) {
  const { data } = await api.createOpportunityImport({ body: { fileId: files.add(content), ...body } });
  await reaches(api, data.id, 'validated');
  await api.startOpportunityImport({ params: { id: data.id } });
  return reaches(api, data.id, 'completed');
}

const dealsOf = async (api: Api) => (await api.listOpportunities({ query: { sort: 'name' } })).data;
const errorsOf = async (api: Api, id: string) =>
  (await api.getOpportunityImportErrors({ params: { id } })).text.trim().split('\r\n').slice(1);

describe('an import of opportunities', () => {
  it('creates them as POST /v1/opportunities does, with their history and events', async () => {
    const api = service.as({ userId: 5 });
    const lead = await api.createLead({
      body: aLead({ email: 'ada@engines.example', teamId: '21', externalId: 'L1' }),
    });
    const { data: account } = await api.createAccount({ body: { name: 'Engines', domain: 'other.example' } });
    const { data: pipeline } = await api.createPipeline({ body: { name: 'Renewals' } });
    await api.createStatus({
      body: {
        entityType: 'opportunity',
        pipelineId: pipeline.id,
        code: 'talk',
        name: 'In Talks',
        defaultProbability: 40,
      },
    });
    await api.createCustomField({ body: { entityType: 'opportunity', key: 'due', label: 'Due', type: 'date' } });
    const file = `Deal;Betrag;Pipeline;Phase;Abschlussdatum;Owner;E-Mail;Firma;Due
Rollout;4.800,50 EUR;;prospecting;31.03.2026;USER8@identity.example;ADA@engines.example;;2026-04-01
Renewal;12 USD;renewals;in talks;2026-03-31T10:00:00+02:00;;L1;OTHER.example;
Plain;;;;;;;Engines;
`;
    const done = await imported(api, file, {
      mapping: {
        Deal: 'name',
        Betrag: 'value',
        Pipeline: 'pipeline',
        Phase: 'stage',
        Abschlussdatum: 'expectedCloseAt',
        Owner: 'ownerId',
        'E-Mail': 'lead',
        Firma: 'account',
        Due: 'customFields.due',
      },
    });
    expect(done.counts).toMatchObject({ valid: 3, created: 3, failed: 0 });
    const [plain, renewal, rollout] = await dealsOf(api);
    expect(rollout).toMatchObject({
      value: 4800.5,
      currency: 'EUR',
      stage: 'prospecting',
      expectedCloseAt: '2026-03-31T00:00:00.000Z',
      ownerId: members.seller,
      leadId: lead.data.id,
      teamId: '21',
      customFields: { due: '2026-04-01' },
    });
    expect(renewal).toMatchObject({
      value: 12,
      currency: 'USD',
      stage: 'talk',
      pipelineId: pipeline.id,
      probability: 40,
      expectedCloseAt: '2026-03-31T08:00:00.000Z',
      ownerId: users.active,
      accountId: account.id,
      leadId: lead.data.id,
    });
    expect(plain).toMatchObject({ value: 0, currency: 'EUR', accountId: account.id, leadId: null });
    const { data: entries } = await api.listStageHistory({ params: { id: renewal.id } });
    expect(entries).toMatchObject([{ stage: 'talk' }]);
    await until('each opportunity has its event', () => {
      const { tenantId } = api.caller;
      return (
        service.events.filter((one) => one.name === 'opportunity.created' && one.tenantId === tenantId).length === 3
      );
    });
  });

  it('reports what each row lacks, with the remedy', async () => {
    const api = service.as({ userId: 5 });
    identity.dateFormats.delete('5');
    for (const externalId of ['A', 'B'])
      await api.createLead({ body: aLead({ email: 'twice@example.com', externalId }) });
    const file = `name,value,stage,pipeline,close date,owner,lead,account,currency
,1,,,,,,,
b,many,,,,,,,
c,1,nowhere,,,,,,
d,1,won,,,,,,
e,1,,Nothing,,,,,
f,1,,,03/04/2026,,,,
g,1,,,31.02.2026,,,,
h,1,,,1/2/26,,,,
i,1,,,,nobody@example.com,,,
j,1,,,,,nobody@example.com,,
k,1,,,,,twice@example.com,,
l,1,,,,,,nowhere.example,
m,1.555,,,,,,,EUR
n,$ 5,,,,,,,
ok,1,,,13/04/2026,,A,,
`;
    const done = await imported(api, file);
    expect(done.counts).toMatchObject({ created: 1, failed: 14 });
    const lines = await errorsOf(api, done.id);
    const expected: [string, RegExp][] = [
      ['2,name,name', /Is required/],
      ['3,value,value', /Must be an amount, such as/],
      ['4,stage,stage', /No stage with this code or name; there are Prospecting/],
      ['5,stage,stage', /Deals are won and lost after the import; use Prospecting/],
      ['6,pipeline,pipeline', /No pipeline with this name; there are/],
      ['7,close date,expectedCloseAt', /Can be read as day.month or month.day; write it as 2026-03-31/],
      ['8,close date,expectedCloseAt', /No such day exists/],
      ['9,close date,expectedCloseAt', /The year needs four digits/],
      ['10,owner,ownerId', /No active user has this e-mail address/],
      ['11,lead,lead', /No lead with this e-mail address.*import the lead first/],
      ['12,lead,lead', /Several leads have this e-mail address/],
      ['13,account,account', /No account with this domain/],
      ['14,value,value', /Must have at most 2 decimals in EUR/],
      ['15,value,value', /Name the currency by its code/],
    ];
    expect(lines.map((line) => line.split(',', 3).join())).toEqual(expected.map(([start]) => start));
    for (const [index, [, reason]] of expected.entries()) expect(lines[index]).toMatch(reason);
    expect(await dealsOf(api)).toMatchObject([{ name: 'ok', expectedCloseAt: '2026-04-13T00:00:00.000Z' }]);
  });

  it.each([
    ['MM/DD/YYYY', '2026-03-04T00:00:00.000Z'],
    ['DD/MM/YYYY', '2026-04-03T00:00:00.000Z'],
  ])('reads dates as the person who imports writes them: %s', async (dateFormat, expected) => {
    identity.dateFormats.set('5', dateFormat);
    const api = service.as({ userId: 5 });
    await imported(api, 'name,close date\na,03/04/2026\n');
    expect(await dealsOf(api)).toMatchObject([{ expectedCloseAt: expected }]);
  });

  it('recognizes deals by their lead and name, updates them, and undoes it', async () => {
    const api = service.as({ userId: 5 });
    const { data: lead } = await api.createLead({ body: aLead({ externalId: 'L1' }) });
    const { data: other } = await api.createLead({ body: aLead({ externalId: 'L2' }) });
    const create = async (name: string, leadId: string) =>
      (await api.createOpportunity({ body: { name, leadId, value: 1, expectedCloseAt: '2026-01-01T00:00:00Z' } })).data;
    const moved = await create('Rollout', lead.id);
    const touched = await create('Touched', lead.id);
    await create('Elsewhere', other.id);
    const file = `name,value,stage,close date,lead
Rollout,2,qualification,2026-05-01,L1
Touched,2,,,L1
Elsewhere,3,,,L1
Won,4,,,L1
`;
    const found = await api.listStatuses({ query: { entityType: 'opportunity' } });
    const second = found.data.filter((stage: { isClosed: boolean }) => !stage.isClosed)[1];
    const done = await imported(api, file.replace('qualification', second.code), {
      dedupe: { by: 'name', action: 'update' },
    });
    expect(done.counts).toMatchObject({ created: 2, updated: 2, failed: 0 });
    const after = (await api.getOpportunity({ params: { id: moved.id } })).data;
    expect(after).toMatchObject({ value: 2, stage: second.code, expectedCloseAt: '2026-05-01T00:00:00.000Z' });
    await api.updateOpportunity({ params: { id: touched.id }, body: { value: 9 } });
    const won = (await dealsOf(api)).find(({ name }: { name: string }) => name === 'Won');
    expect((await api.winOpportunity({ params: { id: won.id }, body: {} })).status).toBe(200);
    await api.undoOpportunityImport({ params: { id: done.id } });
    const undone = await reaches(api, done.id, 'undone');
    const { result } = (await api.getJob({ params: { id: undone.jobId } })).data;
    expect(result).toEqual({ deleted: 1, restored: 1, kept: 2 });
    const shown = (await dealsOf(api)).map(({ name, value, stage, expectedCloseAt }: Record<string, unknown>) => [
      name,
      value,
      stage,
      expectedCloseAt,
    ]);
    expect(shown).toEqual([
      ['Elsewhere', 1, moved.stage, moved.expectedCloseAt],
      ['Rollout', 1, moved.stage, moved.expectedCloseAt],
      ['Touched', 9, moved.stage, moved.expectedCloseAt],
      ['Won', 4, won.stage, null].map((one, index) => (index === 2 ? expect.any(String) : one)),
    ]);
  });

  it('leaves a deal in its stage when the value of its row does not fit its currency', async () => {
    const api = service.as({ userId: 5 });
    const { data } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'JPY' } });
    const done = await imported(api, 'name,value,stage\nRollout,1.5,proposal\n', {
      dedupe: { by: 'name', action: 'update' },
    });
    expect(await errorsOf(api, done.id)).toHaveLength(1);
    const history = await api.listStageHistory({ params: { id: data.id } });
    expect(history.data).toMatchObject([{ stage: 'prospecting', leftAt: null }]);
  });

  it('gives them the partner of their lead', async () => {
    const api = service.as({ userId: 5 });
    await api.createLead({ body: aLead({ externalId: 'L1' }) });
    await service.sqlWithin(api.caller, 'UPDATE lead SET partner_id = 31');
    await imported(api, 'name,lead\nReferred,L1\nDirect,\n');
    expect((await dealsOf(api)).map(({ partnerId }: { partnerId: string | null }) => partnerId)).toEqual([null, '31']);
  });

  it('fails the rows of new deals that lack a field which the pipeline requires', async () => {
    const api = service.as({ userId: 5 });
    const [pipeline] = (await api.listPipelines()).data;
    const rules = { requiredFields: { prospecting: ['value'], proposal: ['expectedCloseAt'] } };
    await api.setPipelineRules({ params: { id: pipeline.id }, body: rules });
    const file = 'name,value,stage,close date\nPaid,5,,\nFree,,,\nSoon,,proposal,2026-03-31\nSometime,,proposal,\n';
    const done = await imported(api, file);
    expect((await dealsOf(api)).map(({ name }: { name: string }) => name)).toEqual(['Paid', 'Soon']);
    const errors = await errorsOf(api, done.id);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain('value');
    expect(errors[1]).toContain('expectedCloseAt');
  });

  it('needs permissions for all records', async () => {
    const body = { fileId: files.add('name\na\n') };
    for (const permissions of [
      ['opportunities:write:own', 'files:read', 'leads:read', 'accounts:read'],
      ['opportunities:write', 'files:read', 'leads:read:own', 'accounts:read'],
      ['opportunities:write', 'files:read', 'leads:read'],
    ])
      expect((await service.as({ userId: 5, permissions }).createOpportunityImport({ body })).status).toBe(403);
  });
});
