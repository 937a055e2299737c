import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

type Api = ReturnType<typeof service.as>;

const addLeads = (api: Api, count: number, fields: Record<string, unknown> = {}) =>
  Array.from({ length: count }, () => crm.addLead(api.caller.tenantId as number, fields));
const german = { field: 'customFields.country', operator: 'equals', value: 'de' };
const aFilter = (fields: Record<string, unknown> = {}) => ({
  name: 'Germany',
  type: 'filter',
  conditions: [german],
  ...fields,
});
const leadsOf = async (api: Api, id: string, query: Record<string, string> = {}) => {
  const { data } = await api.listSegmentLeads({ params: { id }, query });
  return [data.leads.map((lead: { id: string }) => lead.id), data.next];
};
const fieldsOf = (reply: { status: number; body: { errors?: { field: string }[] } }) => [
  reply.status,
  reply.body.errors?.map(({ field }) => field),
];

describe('a filter segment', () => {
  it('has the leads that meet its conditions, page by page', async () => {
    const api = service.as();
    const leads = addLeads(api, 3, { customFields: { country: 'DE' } });
    addLeads(api, 2);
    const { status, data } = await api.createSegment({ body: aFilter() });
    expect([status, data]).toMatchObject([
      201,
      { name: 'Germany', description: null, type: 'filter', conditions: [german], leadCount: null, version: 1 },
    ]);
    expect(await leadsOf(api, data.id, { limit: '2' })).toEqual([leads.slice(0, 2), leads[1]]);
    expect(await leadsOf(api, data.id, { limit: '2', after: leads[1] as string })).toEqual([leads.slice(2), null]);
  });

  it('gets other conditions, of which invalid ones are refused', async () => {
    const api = service.as();
    const params = { id: (await api.createSegment({ body: aFilter() })).data.id };
    const conditions = [{ field: 'tags', operator: 'is_set' }];
    const changed = await api.updateSegment({ params, body: { conditions } });
    expect(changed.data).toMatchObject({
      conditions: [{ field: 'tags', operator: 'is_set', value: null }],
      version: 2,
    });
    expect((await api.updateSegment({ params, body: { conditions } })).data.version).toBe(2);
    const update = async (body: Record<string, unknown>) => fieldsOf(await api.updateSegment({ params, body }));
    const wrong = [german, { field: 'status', operator: 'equals', value: 'hot' }];
    expect(await update({ conditions: wrong })).toEqual([422, ['conditions.1.value']]);
    expect(await update({ conditions: [] })).toEqual([422, ['conditions']]);
    expect(await update({ addLeadIds: addLeads(api, 1) })).toEqual([422, ['addLeadIds']]);
    expect((await api.getSegment({ params })).data).toEqual(changed.data);
  });
});

describe('a static segment', () => {
  it('has the leads that were added, each once, without deleted and removed ones', async () => {
    const api = service.as();
    const [first, second, third] = addLeads(api, 3) as [string, string, string];
    const { data } = await api.createSegment({
      body: { name: 'Fair', type: 'static', leadIds: [second, first, first] },
    });
    expect(data).toMatchObject({ type: 'static', conditions: [], leadCount: 2 });
    const params = { id: data.id };
    const added = await api.updateSegment({ params, body: { addLeadIds: [first, third] } });
    expect(added.data).toMatchObject({ leadCount: 3, version: 2 });
    expect(await leadsOf(api, data.id, { limit: '2' })).toEqual([[first, second], second]);
    expect(await leadsOf(api, data.id)).toEqual([[first, second, third], null]);
    const changed = await api.updateSegment({ params, body: { removeLeadIds: [second, second] } });
    expect(changed.data).toMatchObject({ leadCount: 2, version: 3 });
    expect((await api.updateSegment({ params, body: { removeLeadIds: [second] } })).data.version).toBe(3);
    crm.removeLead(first);
    expect(await leadsOf(api, data.id)).toEqual([[third], null]);
  });

  it('refuses unknown and foreign leads, conditions, and more than 10,000 leads', async () => {
    const api = service.as();
    const [known] = addLeads(api, 1);
    const [foreign] = addLeads(service.as(), 1);
    const create = async (fields: Record<string, unknown>) =>
      fieldsOf(await api.createSegment({ body: { name: 'Fair', type: 'static', ...fields } }));
    expect(await create({ leadIds: [known, foreign, '999999'] })).toEqual([422, ['leadIds.1', 'leadIds.2']]);
    expect(await create({ conditions: [german] })).toEqual([422, ['conditions']]);
    expect(await create({ type: 'filter', leadIds: [known] })).toEqual([422, ['conditions']]);
    expect((await api.listSegments()).data).toEqual([]);
    const { data } = await api.createSegment({ body: { name: 'Fair', type: 'static' } });
    const fill = `INSERT INTO segment_lead (segment_id, lead_id) SELECT ${data.id}, 1000000 + n FROM generate_series(1, 10000) AS n`;
    await service.sqlWithin(api.caller, `${fill}`);
    await service.sqlWithin(api.caller, `UPDATE segment SET lead_count = 10000 WHERE id = ${data.id}`);
    const full = await api.updateSegment({ params: { id: data.id }, body: { addLeadIds: [known] } });
    expect([full.status, full.body.code]).toEqual([409, 'too_many_leads']);
    expect((await api.getSegment({ params: { id: data.id } })).data).toMatchObject({ leadCount: 10_000, version: 1 });
  });

  it('shows only leads that the caller can read, and names leads only with that permission', async () => {
    const api = service.as();
    const leadIds = addLeads(api, 1);
    const tenantId = api.caller.tenantId as number;
    const blind = service.as({ tenantId, can: ['campaigns:read', 'campaigns:write'] });
    const { data } = await blind.createSegment({ body: { name: 'Empty', type: 'static' } });
    expect((await blind.createSegment({ body: { name: 'Fair', type: 'static', leadIds } })).status).toBe(403);
    expect((await blind.listSegmentLeads({ params: { id: data.id } })).status).toBe(403);
  });
});

describe('a segment by behavior', () => {
  const did = (api: Api, leadId: string, type: string, fields: Record<string, unknown> = {}) => {
    const row: Record<string, unknown> = { lead_id: leadId, type, ...fields };
    const values = Object.values(row).map((value) => `'${value}'`);
    const text = `INSERT INTO engagement (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`;
    return service.sqlWithin(api.caller, text);
  };
  const found = async (api: Api, behavior: Record<string, unknown>[], conditions: unknown[] = []) => {
    const name = JSON.stringify([behavior, conditions.length]).slice(0, 100);
    const { data } = await api.createSegment({ body: { name, type: 'filter', behavior, conditions } });
    return (await leadsOf(api, data.id))[0];
  };

  it('has the leads that did, and did not do, what is wanted; software does not count', async () => {
    const api = service.as();
    const [a, b, c, d] = addLeads(api, 4, { customFields: { country: 'DE' } }) as [string, string, string, string];
    const [other] = addLeads(api, 1) as [string];
    const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
    const longAgo = new Date(Date.now() - 40 * 24 * 3600 * 1000).toISOString();
    await did(api, a, 'email_open', { campaign_id: spring.id });
    await did(api, a, 'link_click');
    await did(api, b, 'email_open', { at: longAgo });
    await did(api, c, 'email_open', { automated: true });
    await did(api, other, 'email_open');
    expect(await found(api, [{ event: 'opened' }])).toEqual([a, b, other]);
    expect(await found(api, [{ event: 'opened' }], [german])).toEqual([a, b]);
    expect(await found(api, [{ event: 'opened', withinDays: 30 }])).toEqual([a, other]);
    expect(await found(api, [{ event: 'opened', campaignId: spring.id }])).toEqual([a]);
    expect(await found(api, [{ event: 'opened' }, { event: 'clicked', negate: true }])).toEqual([b, other]);
    expect(await found(api, [{ event: 'opened', negate: true }])).toEqual([c, d]);
    expect(await found(api, [{ event: 'replied' }])).toEqual([]);
  });

  it('counts whoever clicked as one who opened, also when the click is limited by campaign and time', async () => {
    const api = service.as();
    const [a, b, c] = addLeads(api, 3) as [string, string, string];
    const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
    await did(api, a, 'link_click', { campaign_id: spring.id });
    await did(api, b, 'link_click', { automated: true });
    await did(api, c, 'form_submission');
    expect(await found(api, [{ event: 'opened', campaignId: spring.id, withinDays: 7 }])).toEqual([a]);
    expect(await found(api, [{ event: 'opened', negate: true }])).toEqual([b, c]);
  });

  it('is read page by page, and left out of audiences', async () => {
    const api = service.as();
    const [a, b, c] = addLeads(api, 3) as [string, string, string];
    for (const leadId of [a, a, c]) await did(api, leadId, 'page_visit');
    const body = { name: 'Visitors', type: 'filter', behavior: [{ event: 'visited' }] };
    const { data } = await api.createSegment({ body });
    expect(await leadsOf(api, data.id, { limit: '1' })).toEqual([[a], a]);
    expect(await leadsOf(api, data.id, { limit: '2', after: a })).toEqual([[c], null]);
    const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
    const params = { id: spring.id };
    await api.setAudience({ params, body: { include: [{ leadIds: [a, b, c] }], exclude: [{ segmentId: data.id }] } });
    const preview = (await api.previewAudience({ params })).data;
    expect([preview.total, preview.samples.map(({ leadId }: { leadId: string }) => leadId)]).toEqual([1, [b]]);
  });

  it('names a campaign that exists, and keeps at least one condition', async () => {
    const api = service.as();
    const { data: foreign } = await service.as().createCampaign({ body: { name: 'Spring' } });
    const behavior = [{ event: 'opened' }, { event: 'clicked', campaignId: foreign.id }];
    expect(fieldsOf(await api.createSegment({ body: aFilter({ behavior }) }))).toEqual([
      422,
      ['behavior.1.campaignId'],
    ]);
    expect(fieldsOf(await api.createSegment({ body: { name: 'Fair', type: 'static', behavior } }))).toEqual([
      422,
      ['behavior'],
    ]);
    const { data } = await api.createSegment({ body: aFilter({ behavior: [{ event: 'opened' }], conditions: [] }) });
    expect(data.behavior).toEqual([{ event: 'opened', campaignId: null, withinDays: null, negate: false }]);
    const params = { id: data.id };
    expect(fieldsOf(await api.updateSegment({ params, body: { behavior: [] } }))).toEqual([422, ['behavior']]);
    const changed = await api.updateSegment({ params, body: { behavior: [], conditions: [german] } });
    expect(changed.data).toMatchObject({ behavior: [], conditions: [german], version: 2 });
  });
});

describe('segments', () => {
  it('are listed by type, and have different names', async () => {
    const api = service.as();
    await api.createSegment({ body: aFilter() });
    await api.createSegment({ body: { name: 'Fair', type: 'static' } });
    expect((await api.listSegments({ query: { type: 'static' } })).data).toMatchObject([
      { name: 'Fair', leadCount: 0 },
    ]);
    const again = await api.createSegment({ body: aFilter() });
    expect([again.status, again.body.code]).toEqual([409, 'name_taken']);
  });

  it('are not deleted while an audience has them, and the campaigns are named', async () => {
    const api = service.as();
    const { data: segment } = await api.createSegment({ body: aFilter() });
    const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
    const params = { id: spring.id };
    await api.setAudience({ params, body: { include: [{ segmentId: segment.id }] } });
    const refused = await api.deleteSegment({ params: { id: segment.id } });
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.message]).toEqual([
      409,
      'segment_in_use',
      expect.stringContaining('the draft campaign'),
    ]);
    await api.setAudience({ params, body: { include: [] } });
    expect((await api.deleteSegment({ params: { id: segment.id } })).data).toEqual({ id: segment.id, deleted: true });
    expect((await api.getSegment({ params: { id: segment.id } })).status).toBe(404);
  });

  it('emit events when they are created, changed and deleted', async () => {
    const api = service.as();
    const params = { id: (await api.createSegment({ body: aFilter() })).data.id };
    await api.updateSegment({ params, body: { description: 'For the fair' } });
    await api.deleteSegment({ params });
    const names = await until('the events arrive', () => {
      const found = service.events.filter((one) => one.tenantId === api.caller.tenantId);
      return found.length === 3 && found.map(({ name, action, target }) => [name, action, target?.id]);
    });
    expect(names.sort()).toEqual(
      ['create', 'delete', 'update'].map((verb) => [`segment.${verb}d`, `segment.${verb}`, Number(params.id)]),
    );
  });
});
