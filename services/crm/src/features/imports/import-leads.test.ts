import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, testService, testSettings, until } from '@tandem/testing';
import { aLead, alone, startCrm } from '../../crm.test-service.ts';
import { crmService } from '../../service.ts';
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

async function reaches(api: Api, id: string, ...statuses: string[]) {
  return until(`the import is ${statuses}`, async () => {
    const { data } = await api.getLeadImport({ params: { id } });
    return statuses.includes(data.status) && data;
  });
}

/** An import that is checked. */
async function checked(api: Api, content: string | Buffer, body: object = {}) {
  const { data } = await api.createLeadImport({ body: { fileId: files.add(content), ...body } });
  return reaches(api, data.id, 'validated', 'failed');
}

async function imported(api: Api, content: string | Buffer, body: object = {}) {
  const { id } = await checked(api, content, body);
  await api.startLeadImport({ params: { id } });
  return reaches(api, id, 'completed', 'failed');
}

const leadsOf = async (api: Api) => (await api.listLeads({ query: { sort: 'email' } })).data;
const errorLines = async (api: Api, id: string) =>
  (await api.getLeadImportErrors({ params: { id } })).text.trim().split('\r\n');

const two =
  'E-Mail;Vorname;Nachname;Branche\r\nada@example.com;Ada;Lovelace;Analytik\r\ngrace@example.com;Grace;Hopper;Marine\r\n';

describe('an import of leads', () => {
  it('checks the file before it starts, and then creates its leads, each with its event', async () => {
    const api = service.as({ name: 'Ada Lovelace' });
    const reply = await api.createLeadImport({ body: { fileId: files.add(two) } });
    expect([reply.status, reply.data.status, reply.data.allowedTransitions]).toEqual([202, 'mapped', []]);
    const found = await reaches(api, reply.data.id, 'validated');
    expect(found).toMatchObject({
      format: { type: 'csv', encoding: 'utf-8', delimiter: ';' },
      columns: ['E-Mail', 'Vorname', 'Nachname', 'Branche'],
      mapping: { 'E-Mail': 'email', Vorname: 'firstName', Nachname: 'lastName', Branche: null },
      counts: { rows: 2, valid: 2, invalid: 0, processed: 0 },
      preview: [
        { row: 2, values: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }, errors: [] },
        { row: 3, values: { email: 'grace@example.com' } },
      ],
    });
    expect(await leadsOf(api)).toEqual([]);
    const started = await api.startLeadImport({ params: { id: found.id } });
    expect([started.status, started.data.status]).toEqual([202, 'running']);
    const done = await reaches(api, found.id, 'completed');
    expect(done.counts).toMatchObject({ processed: 2, created: 2, updated: 0, skipped: 0, failed: 0 });
    expect(await leadsOf(api)).toMatchObject([
      { email: 'ada@example.com', lastName: 'Lovelace', source: 'import', status: 'new', createdBy: '1' },
      { email: 'grace@example.com' },
    ]);
    const events = await until('each lead has its event', () => {
      const ofTenant = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
      return ofTenant.filter(({ name }) => name === 'lead.created').length === 2 && ofTenant;
    });
    expect(events.find(({ name }) => name === 'lead.created')?.caller).toMatchObject({
      userId: 1,
      name: 'Ada Lovelace',
    });
    expect((await api.getJob({ params: { id: done.jobId } })).data).toMatchObject({
      kind: 'run_import',
      status: 'completed',
      progress: { done: 2, total: 2 },
    });
    expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['import.created', 'import.started']));
  });

  it('reports each row that cannot be imported, and imports the others', async () => {
    const api = service.as();
    const file =
      'email,first name,last name,score,phone\nada@example.com,Ada,Lovelace,many,\n=1+1,Grace,Hopper,5,0170\n\nok@example.com,Ok,Kay,7.5,+49 170 1234567\n';
    const found = await checked(api, file);
    expect(found.counts).toMatchObject({ rows: 3, valid: 1, invalid: 2 });
    const lines = [
      'row,column,field,value,reason',
      '2,score,score,many,Must be a number',
      "3,email,email,'=1+1,Must be a valid e-mail address",
      '3,phone,phone,0170,"Must be a phone number with country code, such as +491701234567"',
    ];
    expect(await errorLines(api, found.id)).toEqual(lines);
    const done = await imported(api, file);
    expect(done.counts).toMatchObject({ processed: 3, created: 1, failed: 2 });
    expect(await errorLines(api, done.id)).toEqual(lines);
    expect(await leadsOf(api)).toMatchObject([{ email: 'ok@example.com', score: 7.5, phone: '+491701234567' }]);
  });

  it.each([
    ['skip', { created: 1, updated: 0, skipped: 2, failed: 0 }, [['Old', 1]]],
    ['update', { created: 1, updated: 2, skipped: 0, failed: 0 }, [['Later', 3]]],
    [
      'create',
      { created: 3, updated: 0, skipped: 0, failed: 0 },
      [
        ['Old', 1],
        ['New', 1],
        ['Later', 1],
      ],
    ],
  ])('recognizes existing leads: %s', async (action, counts, expected) => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'ada@example.com', firstName: 'Old', tags: ['kept'] }) });
    const file =
      'email,vorname,nachname\nADA@example.com,New,Lovelace\nother@example.com,Other,One\nada@example.com,Later,Lovelace\n';
    const done = await imported(api, file, { dedupe: { by: 'email', action }, defaults: { tags: 'fair' } });
    expect(done.counts).toMatchObject(counts);
    const adas = (await leadsOf(api)).filter(({ email }: { email: string }) => /^ada@/i.test(email));
    const shown = adas.map(({ firstName, version }: { firstName: string; version: number }) => [firstName, version]);
    expect(shown).toEqual(expect.arrayContaining(expected));
    expect(shown).toHaveLength(expected.length);
    expect(adas.some(({ tags }: { tags: string[] }) => tags.includes('kept'))).toBe(true);
  });

  it('undoes what it created and updated, but keeps what was changed since', async () => {
    const api = service.as();
    const body = (email: string) => ({ body: aLead({ email, firstName: 'Old' }) });
    const { data: restored } = await api.createLead(body('a@example.com'));
    const { data: touched } = await api.createLead(body('b@example.com'));
    const file =
      'email,vorname,nachname\na@example.com,New,A\nb@example.com,New,B\nc@example.com,C,C\nd@example.com,D,D\n';
    const done = await imported(api, file, { dedupe: { by: 'email', action: 'update' } });
    await api.updateLead({ params: { id: touched.id }, body: { firstName: 'Hand' } });
    const created = (await leadsOf(api)).find(({ email }: { email: string }) => email === 'd@example.com');
    await api.convertLead({ body: { leadId: created.id } });
    const [first, second] = await Promise.all([1, 2].map(() => api.undoLeadImport({ params: { id: done.id } })));
    expect([first?.status, second?.status].sort()).toEqual([202, 409]);
    const undone = await reaches(api, done.id, 'undone');
    expect((await api.getJob({ params: { id: undone.jobId } })).data.result).toEqual({
      deleted: 1,
      restored: 1,
      kept: 2,
    });
    const left = (await leadsOf(api)).map((lead: { email: string; firstName: string }) => [lead.email, lead.firstName]);
    expect(left).toEqual([
      ['a@example.com', 'Old'],
      ['b@example.com', 'Hand'],
      ['d@example.com', 'D'],
    ]);
    expect((await api.getLead({ params: { id: restored.id } })).data.version).toBe(3);
    await until('the deletion has its event', () =>
      service.events.some((one) => one.name === 'lead.deleted' && one.tenantId === api.caller.tenantId),
    );
  });

  it('checks again with another mapping, and uses it', async () => {
    const api = service.as();
    const found = await checked(api, two);
    const mapping = { ...found.mapping, Branche: 'customFields.industry' };
    const stale = await api.updateLeadImport({
      params: { id: found.id },
      body: { mapping },
      headers: { 'if-match': '"stale"' },
    });
    expect(stale.status).toBe(412);
    const changed = await api.updateLeadImport({ params: { id: found.id }, body: { mapping } });
    expect([changed.status, changed.data.status]).toEqual([200, 'mapped']);
    expect((await api.startLeadImport({ params: { id: found.id } })).status).toBe(409);
    const again = await reaches(api, found.id, 'validated');
    expect(again.preview[0].values).toMatchObject({ 'customFields.industry': 'Analytik' });
    const starts = await Promise.all([1, 2].map(() => api.startLeadImport({ params: { id: found.id } })));
    expect(starts.map(({ status }) => status).sort()).toEqual([202, 409]);
    await reaches(api, found.id, 'completed');
    expect((await leadsOf(api))[0].customFields).toEqual({ industry: 'Analytik' });
    expect((await api.updateLeadImport({ params: { id: found.id }, body: { mapping } })).status).toBe(409);
  });

  it('enforces the custom fields that the tenant defined', async () => {
    const api = service.as();
    const define = (key: string, type: string, more: object) =>
      api.createCustomField({ body: { entityType: 'lead', key, label: key, type, ...more } });
    expect((await define('size', 'number', {})).status).toBe(201);
    expect((await define('tax_id', 'text', { unique: true })).status).toBe(201);
    const file =
      'email,vorname,nachname,size,tax\na@example.com,A,A,"1.200,5",T1\nb@example.com,B,B,many,T2\nc@example.com,C,C,3,t1\n';
    const mapping = {
      email: 'email',
      vorname: 'firstName',
      nachname: 'lastName',
      size: 'customFields.size',
      tax: 'customFields.tax_id',
    };
    const done = await imported(api, file, { mapping });
    expect(done.counts).toMatchObject({ created: 1, failed: 2 });
    expect(await errorLines(api, done.id)).toEqual([
      'row,column,field,value,reason',
      '3,size,customFields.size,many,Must be a number',
      '4,tax,customFields.tax_id,t1,Another record has this value; tax_id is unique',
    ]);
    expect((await leadsOf(api))[0].customFields).toEqual({ size: 1200.5, tax_id: 'T1' });
    await api.undoLeadImport({ params: { id: done.id } });
    await reaches(api, done.id, 'undone');
    expect((await imported(api, file, { mapping })).counts).toMatchObject({ created: 1 });
  });

  it('creates the same leads as POST /v1/leads', async () => {
    const api = service.as({ userId: 5 });
    await api.createScoringRule({
      body: { name: 'Web', field: 'source', operator: 'equals', value: 'web', points: 30 },
    });
    await api.createAssignmentRule({ body: { name: 'Sales', method: 'round_robin', userIds: [members.seller] } });
    const status = { entityType: 'lead', code: 'nurturing', name: 'In Pflege', category: 'contacted', sortOrder: 9 };
    expect((await api.createStatus({ body: status })).status).toBe(201);
    const fields = { statusCode: 'nurturing', timezone: 'Europe/Berlin', tags: ['vip'], source: 'web' };
    const consent = { email: { state: 'granted' } };
    const one = { email: 'ada@posted.example', firstName: 'Ada', lastName: 'Lovelace', phone: '+4917012345670' };
    const posted = await api.createLead({ body: { ...one, ...fields, consent, externalId: 'P1' } });
    expect(posted.status).toBe(201);
    const file = `email,vorname,nachname,phone,status,zeitzone,tags,source,email opt in,external id
ada@imported.example,Ada,Lovelace,+49 170 12345671,in pflege,Europe/Berlin,vip,web,ja,I1
b@example.com,B,B,,,,,,perhaps,I2
c@example.com,C,C,,lost,,,,,I3
d@example.com,D,D,,,,,,,P1
e@example.com,E,E,,,,,,,I1
`;
    const done = await imported(api, file);
    expect(done.counts).toMatchObject({ valid: 3, created: 1, failed: 4 });
    expect((await errorLines(api, done.id)).map((line: string) => line.split(',', 3).join())).toEqual([
      'row,column,field',
      '3,email opt in,consent.email',
      '4,status,status',
      '5,external id,externalId',
      '6,external id,externalId',
    ]);
    expect((await errorLines(api, done.id))[3]).toMatch(/Must be unique; the lead [a-zA-Z0-9]{16,20} has it/);
    const both = await until('the leads are scored and assigned', async () => {
      const found = await leadsOf(api);
      return (
        found.every(({ score, assignedTo }: { score: number; assignedTo: string }) => score && assignedTo) && found
      );
    });
    const differing = new Set(['id', 'email', 'phone', 'externalId', 'consent', 'createdAt', 'updatedAt']);
    const shown = both.map((lead: { consent: { email: { state: string } } }) => [
      lead.consent.email.state,
      ...Object.entries(lead).filter(([field]) => !differing.has(field)),
    ]);
    expect(shown).toHaveLength(2);
    expect(shown[0]).toEqual(shown[1]);
    const columns = await service.sql(`SELECT status_code, name_sound, name_sorted, external_key = external_id AS keyed,
      phone_key = phone AS "hasPhone" FROM lead WHERE tenant_id = ${api.caller.tenantId} ORDER BY id`);
    expect(columns[0]).toEqual(columns[1]);
    expect(columns[0]).toMatchObject({ status_code: 'nurturing', keyed: true, hasPhone: true });
  });

  it.each([
    ['phone', 'ada@a.example,Ada,Lovelace,+4917012345670', 'lovelace@b.example,A.,Lovelace,+49 (0)170 12345670'],
    ['email_variant', 'ada.byron@a.example,Ada,-,', 'adabyron@a.example,A,-,'],
    ['email_variant', 'ada.byron@a.example,Ada,-,', 'ada.byrno@a.example,A,-,'],
  ])('finds duplicates by %s among its leads', async (reason, ...lines) => {
    const api = service.as();
    await imported(api, `email,vorname,nachname,phone\n${lines.join('\n')}\n`);
    const [pair] = await until('the pair is found', async () => {
      const { data } = await api.listLeadDuplicates();
      return data.length === 1 && data;
    });
    expect(JSON.stringify(pair)).toContain(reason);
  });

  it('continues where an instance stopped, and imports nothing twice', async () => {
    const shared = await testSettings('crm');
    const start = () =>
      testService(
        'crm',
        (settings) => crmService({ ...settings, ...alone, IDENTITY_URL: identity.url, FILES_URL: files.url }),
        shared,
      );
    const first = await start();
    const { caller } = first.as({ tenantId: 4_711 });
    const rows = Array.from({ length: 2_000 }, (_, index) => `p${index}@example.com,P${index},Q${index}`);
    const fileId = files.add(`email,vorname,nachname\n${rows.join('\n')}\n`);
    const { data } = await first.as(caller).createLeadImport({ body: { fileId } });
    await reaches(first.as(caller), data.id, 'validated');
    await first.as(caller).startLeadImport({ params: { id: data.id } });
    await until('a part is imported', async () => {
      const { data: found } = await first.as(caller).getLeadImport({ params: { id: data.id } });
      return found.counts.processed > 0;
    });
    await first.close();
    const second = await start();
    const done = await reaches(second.as(caller), data.id, 'completed');
    expect(done.counts).toMatchObject({ processed: 2_000, created: 2_000 });
    expect(await second.sql('SELECT count(*)::int AS leads, count(DISTINCT email)::int AS people FROM lead')).toEqual([
      { leads: 2_000, people: 2_000 },
    ]);
    await second.close();
    await shared.drop();
  });
});

describe('an import is refused', () => {
  it.each([
    ['an unknown file', { fileId: '999' }, 'fileId'],
    ['an unknown field', { mapping: { a: 'salary' } }, 'mapping.a'],
    ['two columns of a field', { mapping: { a: 'email', b: 'email' } }, 'mapping.b'],
    ['a key of another type', { dedupe: { by: 'domain', action: 'skip' } }, 'dedupe.by'],
    ['an unknown default', { defaults: { salary: 1 } }, 'defaults.salary'],
  ])('with %s', async (_, body, field) => {
    const api = service.as();
    const reply = await api.createLeadImport({ body: { fileId: files.add(two), ...body } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.listLeadImports()).data).toEqual([]);
  });

  it('with a quarantined file, in another tenant, and in the other environment', async () => {
    const api = service.as();
    const quarantined = await api.createLeadImport({ body: { fileId: files.add(two, { status: 'quarantined' }) } });
    expect([quarantined.status, quarantined.body.errors?.[0]?.field]).toEqual([422, 'fileId']);
    const { id } = await checked(api, two);
    for (const other of [service.as(), service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' })])
      for (const send of [other.getLeadImport, other.startLeadImport, other.undoLeadImport, other.getLeadImportErrors])
        expect((await send({ params: { id } })).status).toBe(404);
    expect((await api.undoLeadImport({ params: { id } })).status).toBe(409);
  });

  it.each([
    ['', 'unreadable_file', 'The file is empty'],
    ['%PDF-1.7 nonsense', 'unreadable_file', 'The file is neither a CSV nor an XLSX file'],
    ['a,"b\nc,d\n', 'unreadable_file', 'The file cannot be read after row 0: a quote is not closed'],
    [`${'a,'.repeat(200)}a\n1\n`, 'too_many_columns', 'The file has more than 200 columns'],
  ])('with a file that cannot be read: %j', async (content, code, message) => {
    const api = service.as();
    const found = await checked(api, content);
    expect([found.status, found.error]).toEqual(['failed', { code, message }]);
    expect((await api.startLeadImport({ params: { id: found.id } })).status).toBe(409);
    expect((await api.undoLeadImport({ params: { id: found.id } })).status).toBe(409);
  });
});
