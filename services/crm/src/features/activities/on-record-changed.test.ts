import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
interface Entry {
  kind: string;
  type: string;
  subject: string | null;
  details: Record<string, unknown>;
  userId: string | null;
}

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const timeline = async (api: Api, id: string): Promise<Entry[]> =>
  (await api.getLeadTimeline({ params: { id }, query: { sort: 'occurredAt', limit: '100' } })).data;
const kinds = async (api: Api, id: string) => (await timeline(api, id)).map(({ kind }) => kind).sort();
const become = (api: Api, id: string, expected: string[]) =>
  until(`the timeline has ${expected}`, async () => {
    const now = await kinds(api, id);
    return JSON.stringify(now) === JSON.stringify([...expected].sort()) && timeline(api, id);
  });

/** An event of another service. */
const foreignEvent = (api: Api, name: string, record: Record<string, unknown>, data: object) => ({
  id: randomUUID(),
  name,
  tenantId: api.caller.tenantId,
  environment: 'live',
  occurredAt: new Date().toISOString(),
  action: name,
  target: { type: 'file', id: Number(record['id']) },
  caller: { type: 'user', userId: 5, requestId: 'req_1' },
  data,
  record,
});

it('shows that a conversion was undone, and why', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR' } });
  await api.convertLead({ body: { leadId: lead.id, linkOpportunityId: deal.id } });
  await api.unconvertOpportunity({ params: { id: deal.id }, body: { reason: 'The wrong deal' } });
  const entries = await become(api, lead.id, ['lead_created', 'lead_converted', 'lead_unconverted']);
  const undone = entries.find(({ kind }) => kind === 'lead_unconverted');
  expect(undone).toMatchObject({ opportunityId: deal.id, details: { reason: 'The wrong deal' } });
});

it('writes one entry of the system for what happens to a lead and its deals', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead({ source: 'web' }) });
  const params = { id: lead.id };
  await api.updateLead({ params, body: { score: 40, tags: ['vip'] } });
  await api.changeLeadStatus({ params, body: { status: 'contacted', reason: 'Called' } });
  await api.createTask({ body: { title: 'Call back', leadId: lead.id } });
  const { data: deal } = await api.convertLead({
    body: { leadId: lead.id, value: 100, currency: 'EUR', name: 'Deal' },
  });
  await api.loseOpportunity({ params: { id: deal.id }, body: { reasonCode: 'price' } });
  const entries = await become(api, lead.id, [
    'lead_created',
    'lead_score_changed',
    'lead_status_changed',
    'task_created',
    'lead_converted',
    'opportunity_created',
    'opportunity_lost',
  ]);
  const of = (kind: string) => entries.find((one) => one.kind === kind);
  expect(of('lead_created')).toMatchObject({ type: 'lead', system: true, details: { source: 'web' }, userId: '1' });
  expect(of('lead_score_changed')?.details).toEqual({ from: 0, to: 40 });
  expect(of('lead_status_changed')?.details).toEqual({ from: 'new', to: 'contacted', reason: 'Called' });
  expect(of('task_created')?.subject).toBe('Call back');
  expect(of('opportunity_created')).toMatchObject({
    type: 'deal',
    subject: 'Deal',
    opportunityId: deal.id,
    details: { amount: 100, currency: 'EUR' },
  });
  expect(of('opportunity_lost')?.details).toEqual({ reason: 'price' });
  const [entry] = (await api.listActivities({ query: { system: 'true', type: 'lead' } })).data;
  const refused = [
    await api.updateActivity({ params: { id: entry.id }, body: { outcome: 'x' } }),
    await api.deleteActivity({ params: { id: entry.id } }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'system_entry'],
    [409, 'system_entry'],
  ]);
});

it('logs messages and forms, but no visits and nothing that software did', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const engagement = (type: string, fields: object = {}) => {
    const record = {
      id: '7',
      tenantId: String(api.caller.tenantId),
      type,
      leadId: lead.id,
      messageId: 'msg-1',
      workflowExecutionId: null,
      timestamp: '2026-01-02T03:04:05.000Z',
      insertId: null,
      properties: { subject: 'Spring offer' },
      automated: false,
      createdAt: '2026-01-02T03:04:05.000Z',
      ...fields,
    };
    const event = foreignEvent(api, 'engagement.recorded', record, { eventId: '7', type, leadId: lead.id });
    return service.publish('engagement.recorded', event, event.id);
  };
  await engagement('page_visit');
  await engagement('email_open', { automated: true });
  for (const type of ['email_sent', 'email_reply', 'form_submission']) await engagement(type);
  const entries = await become(api, lead.id, ['lead_created', 'email_sent', 'email_replied', 'form_submitted']);
  expect(entries[0]).toMatchObject({
    subject: 'Spring offer',
    details: { source: 'msg-1' },
    occurredAt: '2026-01-02T03:04:05.000Z',
  });
});

it('logs files of existing records once, and puts an event that cannot be read aside', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const tenantId = api.caller.tenantId as number;
  const upload = (entityId: string) => {
    const record = {
      id: '9',
      filename: 'offer.pdf',
      contentType: 'application/pdf',
      size: 1,
      entityType: 'lead',
      entityId,
      status: 'available',
      detectedContentType: null,
      checksumSha256: '0',
      uploadedBy: '5',
      teamId: null,
      version: 1,
      createdAt: '2026-01-02T03:04:05.000Z',
      updatedAt: '2026-01-02T03:04:05.000Z',
    };
    return foreignEvent(api, 'file.uploaded', record, { fileId: '9' });
  };
  for (const code of ['nonsense', ids.encode('lead', tenantId, 999_999)]) {
    const event = upload(code);
    await service.publish('file.uploaded', event, event.id);
  }
  await service.publish('file.uploaded', Buffer.from('{ not json'), randomUUID());
  const event = upload(ids.encode('lead', tenantId, Number(lead.id)));
  for (let time = 0; time < 2; time++) await service.publish('file.uploaded', event, event.id);
  const entries = await become(api, lead.id, ['lead_created', 'file_uploaded']);
  const file = entries.find(({ kind }) => kind === 'file_uploaded');
  expect(file).toMatchObject({ subject: 'offer.pdf', details: { fileId: '9' }, userId: '5' });
  await until('it is a dead letter', async () => (await service.deadLetters('log-activities')).length === 1);
  await api.updateLead({ params: { id: lead.id }, body: { score: 1 } });
  await become(api, lead.id, ['lead_created', 'file_uploaded', 'lead_score_changed']);
});

it('moves the entries of a lead and its deals into the timeline of its new account', async () => {
  const api = service.as();
  const [one, two] = [
    (await api.createAccount({ body: { name: 'One' } })).data,
    (await api.createAccount({ body: { name: 'Two' } })).data,
  ];
  const { data: lead } = await api.createLead({ body: aLead({ accountId: one.id }) });
  await api.createActivity({ body: { type: 'note', leadId: lead.id } });
  await api.createActivity({ body: { type: 'note', leadId: lead.id, accountId: one.id } });
  const total = async ({ id }: { id: string }) =>
    (await api.getAccountTimeline({ params: { id } })).body.pagination?.total;
  await until('the account has the entry', async () => (await total(one)) === 3);
  await api.updateLead({ params: { id: lead.id }, body: { accountId: two.id } });
  await until('the entries moved', async () => (await total(two)) === 2);
  expect(await total(one)).toBe(1);
});

it('names the statuses of a change within a category, and leaves out scores of a recount', async () => {
  const api = service.as();
  const status = { entityType: 'lead', code: 'called_twice', name: 'Called twice', category: 'contacted' };
  await api.createStatus({ body: status });
  const { data: lead } = await api.createLead({ body: aLead({ source: 'web' }) });
  const params = { id: lead.id };
  await api.changeLeadStatus({ params, body: { status: 'contacted' } });
  // An event that is handled after the rule was created would change the score itself.
  const handled = `SELECT 1 FROM platform.inbox WHERE consumer = 'score-leads'`;
  await until('both changes are scored', async () => (await service.sqlWithin(api.caller, handled)).length === 2);
  await api.createScoringRule({ body: { name: 'Web', field: 'source', operator: 'equals', value: 'web', points: 25 } });
  await until('the lead is scored', async () => (await api.getLeadScore({ params })).data.score === 25);
  await api.changeLeadStatus({ params, body: { statusCode: 'called_twice' } });
  const entries = await become(api, lead.id, ['lead_created', 'lead_status_changed', 'lead_status_changed']);
  expect(entries.at(-1)?.details).toMatchObject({ from: 'contacted', to: 'called_twice' });
});

it('logs a merge and its undoing in the timeline of the lead that remains', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: other } = await api.createLead({ body: aLead() });
  await until('both leads are logged', async () => (await kinds(api, other.id)).includes('lead_created'));
  await become(api, lead.id, ['lead_created']);
  const { data } = await api.mergeLeads({ params: { id: lead.id }, body: { mergeIds: [other.id] } });
  const merged = await become(api, lead.id, ['lead_created', 'lead_created', 'lead_merged']);
  expect(merged.at(-1)).toMatchObject({ type: 'lead', details: { mergedLeadId: other.id }, userId: '1' });
  await api.undoLeadMerge({ params: { id: data.mergeId } });
  const undone = await become(api, lead.id, ['lead_created', 'lead_merged', 'lead_merge_undone']);
  expect(undone.at(-1)).toMatchObject({ type: 'lead', details: { mergedLeadId: other.id } });
  await api.deleteLead({ params: { id: other.id } });
  await api.restoreLead({ params: { id: other.id } });
  await api.updateLead({ params: { id: other.id }, body: { score: 5 } });
  await become(api, other.id, ['lead_created', 'lead_score_changed']);
});

it('logs each channel whose consent changes, also by a merge', async () => {
  const api = service.as();
  const consent = { email: { state: 'granted' }, phone: { state: 'granted' } };
  const { data: lead } = await api.createLead({ body: aLead({ consent }) });
  const params = { id: lead.id };
  await api.updateLead({
    params,
    body: { consent: { email: { state: 'granted', source: 'Call' }, phone: null, sms: { state: 'denied' } } },
  });
  const entries = await become(api, lead.id, ['lead_created', 'lead_consent_changed', 'lead_consent_changed']);
  const details = entries.filter(({ type }) => type === 'consent').map((one) => one.details);
  expect(details).toEqual(
    expect.arrayContaining([
      { channel: 'phone', from: 'granted', to: null },
      { channel: 'sms', from: null, to: 'denied' },
    ]),
  );
  const { data: other } = await api.createLead({ body: aLead({ consent: { email: { state: 'denied' } } }) });
  await api.mergeLeads({ params, body: { mergeIds: [other.id] } });
  const ofMerge = await until('the merge is logged', async () =>
    (await timeline(api, lead.id)).find((one) => one.details['channel'] === 'email'),
  );
  expect(ofMerge.details).toEqual({ channel: 'email', from: 'granted', to: 'denied' });
});
