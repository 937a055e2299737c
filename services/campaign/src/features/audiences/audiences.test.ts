import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
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

const addLead = (api: Api, fields: Record<string, unknown> = {}) => crm.addLead(api.caller.tenantId as number, fields);
const campaignOf = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createCampaign({ body: { name: 'Spring', ...fields } })).data as { id: string; version: number };
const vip = { field: 'tags', operator: 'contains', value: 'vip' };

describe('setAudience', () => {
  it('stores the parts, as a change of the campaign', async () => {
    const api = service.as();
    const { id } = await campaignOf(api);
    const { data: segment } = await api.createSegment({ body: { name: 'Fair', type: 'static' } });
    const leadId = addLead(api);
    const params = { id };
    expect((await api.getAudience({ params })).data).toEqual({ campaignId: id, include: [], exclude: [], version: 1 });
    const body = {
      include: [{ segmentId: segment.id }, { conditions: [vip] }],
      exclude: [{ leadIds: [leadId] }],
    };
    const reply = await api.setAudience({ params, body });
    expect([reply.status, reply.data]).toEqual([200, { campaignId: id, ...body, version: 2 }]);
    expect((await api.getAudience({ params })).data).toEqual(reply.data);
    const stale = await api.setAudience({ params, body, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it('refuses invalid parts with their places, and changes nothing', async () => {
    const api = service.as();
    const params = { id: (await campaignOf(api)).id };
    const { data: foreign } = await service.as().createSegment({ body: { name: 'Fair', type: 'static' } });
    const set = async (include: unknown[]) => {
      const { status, body } = await api.setAudience({ params, body: { include } });
      return [status, body.errors?.map(({ field }) => field)];
    };
    expect(await set([{}])).toEqual([422, ['include.0']]);
    expect(await set([{ leadIds: [addLead(api)], conditions: [vip] }])).toEqual([422, ['include.0']]);
    expect(await set([{ leadIds: [addLead(api)] }, { leadIds: ['999999'] }])).toEqual([422, ['include.1.leadIds.0']]);
    expect(await set([{ segmentId: foreign.id }])).toEqual([422, ['include.0.segmentId']]);
    expect(await set([{ conditions: [{ ...vip, field: 'score' }] }])).toEqual([422, ['include.0.conditions.0.value']]);
    expect((await api.getAudience({ params })).data).toMatchObject({ include: [], version: 1 });
  });

  it('is refused once the campaign is completed, which a new audience could not reach', async () => {
    const api = service.as();
    const params = { id: (await campaignOf(api, { status: 'completed' })).id };
    const refused = await api.setAudience({ params, body: { include: [] } });
    expect([refused.status, refused.body.code]).toEqual([409, 'campaign_completed']);
    expect((await api.getAudience({ params })).data).toMatchObject({ version: 1 });
  });

  it('is refused while the campaign is active, and for the campaign of somebody else', async () => {
    const api = service.as();
    const params = { id: (await campaignOf(api, { status: 'active' })).id };
    const refused = await api.setAudience({ params, body: { include: [] } });
    expect([refused.status, refused.body.code]).toEqual([409, 'campaign_active']);
    const narrow = { tenantId: api.caller.tenantId as number, userId: 2 };
    const other = service.as({ ...narrow, can: ['campaigns:read:own', 'campaigns:write:own', 'leads:read'] });
    expect((await other.getAudience({ params })).status).toBe(404);
    expect((await other.setAudience({ params, body: { include: [] } })).status).toBe(404);
    expect((await other.previewAudience({ params })).status).toBe(404);
  });
});

describe('previewAudience', () => {
  const preview = async (api: Api, type: string, include: unknown[], exclude: unknown[] = []) => {
    const { id } = await campaignOf(api, { type });
    await api.setAudience({ params: { id }, body: { include, exclude } });
    return (await api.previewAudience({ params: { id } })).data;
  };

  it('counts the leads by the reason for which they get no message', async () => {
    const api = service.as();
    const tags = ['vip'];
    const denied = { state: 'denied', at: '2026-03-02T09:00:00.000Z', source: null };
    const first = addLead(api, { tags, email: 'ada@example.com' });
    addLead(api, { tags, email: 'ADA@example.com' });
    addLead(api, { tags, consent: { email: denied } });
    addLead(api, { tags, email: 'gone@example.com' });
    const second = addLead(api, { tags, consent: { sms: denied } });
    const excluded = addLead(api, { tags });
    addLead(api);
    await api.createSuppression({ body: { channel: 'email', value: 'gone@example.com', reason: 'manual' } });
    expect(await preview(api, 'email', [{ conditions: [vip] }], [{ leadIds: [excluded] }])).toEqual({
      total: 5,
      reachable: 2,
      dropped: { no_address: 0, no_consent: 1, suppressed: 1, duplicate: 1 },
      isComplete: true,
      samples: [
        { leadId: first, channel: 'email', address: 'ada@example.com' },
        { leadId: second, channel: 'email', address: `lead${second}@example.com` },
      ],
    });
  });

  it('reads the address and the consent of the channel', async () => {
    const api = service.as();
    const denied = { state: 'denied', at: '2026-03-02T09:00:00.000Z', source: null };
    const leadIds = [
      addLead(api),
      addLead(api, { phone: '+491701234567' }),
      addLead(api, { phone: '+491701234568', consent: { sms: denied } }),
    ];
    expect(await preview(api, 'sms', [{ leadIds }])).toMatchObject({
      total: 3,
      reachable: 1,
      dropped: { no_address: 1, no_consent: 1 },
      samples: [{ leadId: leadIds[1], channel: 'sms', address: '+491701234567' }],
    });
    expect(await preview(api, 'mixed', [{ leadIds }])).toMatchObject({ total: 3, reachable: 3 });
  });

  it('counts leads that unsubscribed from the topic of the campaign as suppressed', async () => {
    const api = service.as();
    const { data: topic } = await api.createTopic({ body: { name: 'News' } });
    const value = 'topic@example.com';
    await api.createSuppression({ body: { channel: 'email', value, topicId: topic.id, reason: 'manual' } });
    const params = { id: (await campaignOf(api, { topicId: topic.id })).id };
    await api.setAudience({ params, body: { include: [{ leadIds: [addLead(api, { email: value })] }] } });
    const { data } = await api.previewAudience({ params });
    expect(data).toMatchObject({ total: 1, reachable: 0, dropped: { suppressed: 1 } });
  });

  it('of an empty audience counts nothing, and 503 tells that the leads cannot be read', async () => {
    const api = service.as();
    expect(await preview(api, 'email', [])).toMatchObject({ total: 0, reachable: 0, isComplete: true, samples: [] });
    const { id } = await campaignOf(api);
    await api.setAudience({ params: { id }, body: { include: [{ conditions: [vip] }] } });
    crm.isDown = true;
    try {
      expect((await api.previewAudience({ params: { id } })).status).toBe(503);
    } finally {
      crm.isDown = false;
    }
  });
});
