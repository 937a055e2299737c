import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const partnerId = '31';

/** Publishes what happened to the referral of a lead, as the partner service does, and returns the event. */
async function publish(
  api: Api,
  name: string,
  data: { leadId: string; partnerId: string; previousPartnerId?: string; reason?: string },
  {
    id = randomUUID() as string,
    at = new Date(),
    touchedAt = at,
    status = 'attributed',
  }: { id?: string; at?: Date; touchedAt?: Date; status?: string } = {},
) {
  const { tenantId } = api.caller;
  const occurredAt = at.toISOString();
  const { leadId, partnerId: owner } = data;
  const record = { id: '1', tenantId: `${tenantId}`, partnerId: owner, leadId, code: null, status };
  const event = {
    id,
    name,
    tenantId,
    environment: 'live',
    occurredAt,
    action: 'referral.attribute',
    caller: { type: 'user', userId: 1, requestId: 'r1' },
    target: { type: 'referral', id: 1 },
    data: { referralId: '1', ...data },
    record: {
      ...record,
      clickId: null,
      source: 'manual',
      allowedTransitions: [],
      voidReason: null,
      voidedAt: null,
      version: 1,
      externalId: null,
      occurredAt: touchedAt.toISOString(),
      createdBy: null,
      createdAt: occurredAt,
    },
  };
  await service.publish(event.name, event, id);
  return id;
}

/** Publishes that a lead is attributed to the partner. */
const attribute = (api: Api, leadId: string, id: string = randomUUID()) =>
  publish(api, 'referral.attributed', { leadId, partnerId }, { id });

async function aLeadOf(api: Api) {
  const { data } = await api.createLead({ body: aLead() });
  return data.id as string;
}

/** A lead that is attributed to the partner. */
async function aReferredLead(api: Api = service.as()) {
  const leadId = await aLeadOf(api);
  await attribute(api, leadId);
  await until('the lead has its partner', async () => (await partnerOfLead(api, leadId)) === partnerId);
  return { api, leadId };
}

const partnerOfLead = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data.partnerId;
const partnerOf = async (api: Api, id: string) => (await api.getOpportunity({ params: { id } })).data.partnerId;
const updatesOf = (api: Api) =>
  service.events.filter(({ name, tenantId }) => name === 'opportunity.updated' && tenantId === api.caller.tenantId);

describe('the deal of a referred lead', () => {
  it('has its partner from the start, unless the request names another or none', async () => {
    const { api, leadId } = await aReferredLead();
    const create = async (fields: object) =>
      (await api.createOpportunity({ body: { name: 'Rollout', leadId, ...fields } })).data.partnerId;
    expect(await create({})).toBe(partnerId);
    expect(await create({ partnerId: null })).toBeNull();
    expect((await api.convertLead({ body: { leadId } })).data.partnerId).toBe(partnerId);
  });

  it('gets its partner when the deal is put to the lead', async () => {
    const { api, leadId } = await aReferredLead();
    const { data } = await api.createOpportunity({ body: { name: 'Rollout' } });
    const params = { id: data.id };
    const { data: updated } = await api.updateOpportunity({ params, body: { leadId } });
    expect(updated).toMatchObject({ leadId, partnerId, version: 2 });
    const none = await api.updateOpportunity({ params, body: { leadId: null, partnerId: null } });
    expect(none.data).toMatchObject({ leadId: null, partnerId: null });
  });

  it('gets its partner when a conversion links it to the lead', async () => {
    const { api, leadId } = await aReferredLead();
    const { data } = await api.createOpportunity({ body: { name: 'Rollout' } });
    const { data: linked } = await api.convertLead({ body: { leadId, linkOpportunityId: data.id } });
    expect([linked.id, linked.partnerId]).toEqual([data.id, partnerId]);
  });
});

describe('an attribution of a lead', () => {
  it('gives the partner to its open deals without one, once', async () => {
    const api = service.as();
    const leadId = await aLeadOf(api);
    const open = async () => (await api.createOpportunity({ body: { name: 'Rollout', leadId } })).data.id as string;
    const [first, second, won, other] = [await open(), await open(), await open(), await open()];
    await api.winOpportunity({ params: { id: won }, body: {} });
    await service.sqlWithin(api.caller, 'UPDATE opportunity SET partner_id = 32 WHERE id = $1', [other]);
    const event = await attribute(api, leadId);
    const updates = await until('the events arrive', () => updatesOf(api).length === 2 && updatesOf(api));
    expect(updates.map(({ data }) => data)).toEqual(
      [first, second].map((opportunityId) => ({ opportunityId, fields: ['partnerId'] })),
    );
    expect(await Promise.all([first, second, won, other].map((id) => partnerOf(api, id)))).toEqual([
      partnerId,
      partnerId,
      null,
      '32',
    ]);
    await attribute(api, leadId, event);
    const last = await aReferredLead(api);
    expect(await partnerOfLead(api, last.leadId)).toBe(partnerId);
    expect(updatesOf(api)).toHaveLength(2);
  });

  it('by another partner moves the lead and its open deals, but not those with a partner of their own', async () => {
    const { api, leadId } = await aReferredLead();
    const open = async (fields = {}) =>
      (await api.createOpportunity({ body: { name: 'Rollout', leadId, ...fields } })).data.id as string;
    const [first, won, own] = [await open(), await open(), await open({ partnerId: null })];
    await api.winOpportunity({ params: { id: won }, body: {} });
    await service.sqlWithin(api.caller, 'UPDATE opportunity SET partner_id = 33 WHERE id = $1', [own]);
    const moved = { leadId, partnerId: '32', previousPartnerId: partnerId, reason: 'Wrong partner' };
    await publish(api, 'referral.reassigned', moved);
    await until('the deal has moved', async () => (await partnerOf(api, first)) === '32');
    expect(await partnerOfLead(api, leadId)).toBe('32');
    expect(await Promise.all([won, own].map((id) => partnerOf(api, id)))).toEqual([partnerId, '33']);
    await publish(api, 'referral.voided', { leadId, partnerId: '32', reason: 'Fraud' });
    await until('the deal has no partner', async () => (await partnerOf(api, first)) === null);
    expect(await partnerOfLead(api, leadId)).toBeNull();
    expect(await partnerOf(api, own)).toBe('33');
  });

  it('also moves the deals that were closed after the touch, which belong to the partner', async () => {
    const api = service.as();
    const leadId = await aLeadOf(api);
    const win = async () => {
      const { data } = await api.createOpportunity({ body: { name: 'Rollout', leadId } });
      await api.winOpportunity({ params: { id: data.id }, body: {} });
      return data.id as string;
    };
    const before = await win();
    const touchedAt = new Date();
    const after = await win();
    await publish(api, 'referral.attributed', { leadId, partnerId }, { touchedAt });
    await until('the later deal has the partner', async () => (await partnerOf(api, after)) === partnerId);
    const moved = { leadId, partnerId: '32', previousPartnerId: partnerId, reason: 'Wrong partner' };
    await publish(api, 'referral.reassigned', moved, { touchedAt });
    await until('the later deal has moved', async () => (await partnerOf(api, after)) === '32');
    await publish(api, 'referral.voided', { leadId, partnerId: '32', reason: 'Fraud' }, { touchedAt });
    await until('the later deal has no partner', async () => (await partnerOf(api, after)) === null);
    expect(await partnerOf(api, before)).toBeNull();
  });

  it('belongs to nobody while the referral is flagged, so that the partner does not see it', async () => {
    const api = service.as();
    const leadId = await aLeadOf(api);
    const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', leadId } });
    const status = 'flagged';
    await publish(api, 'referral.attributed', { leadId, partnerId }, { status });
    const other = await aReferredLead(api);
    expect([await partnerOfLead(api, leadId), await partnerOf(api, deal.id)]).toEqual([null, null]);
    await publish(api, 'referral.cleared', { leadId, partnerId, reason: 'Checked' });
    await until('the deal has the partner', async () => (await partnerOf(api, deal.id)) === partnerId);
    await publish(api, 'referral.flagged', { leadId, partnerId }, { status });
    await until('the deal has no partner', async () => (await partnerOf(api, deal.id)) === null);
    expect(await partnerOfLead(api, other.leadId)).toBe(partnerId);
  });

  it('changes nothing if a newer one was handled before', async () => {
    const { api, leadId } = await aReferredLead();
    const at = new Date(Date.now() + 60_000);
    await publish(api, 'referral.attributed', { leadId, partnerId: '32' }, { at });
    await until('the newer one is handled', async () => (await partnerOfLead(api, leadId)) === '32');
    await attribute(api, leadId);
    await aReferredLead(api);
    expect(await partnerOfLead(api, leadId)).toBe('32');
  });

  it('reaches a deal that is created at the same time', async () => {
    const api = service.as();
    const leadId = await aLeadOf(api);
    const [{ data }] = await Promise.all([
      api.createOpportunity({ body: { name: 'Rollout', leadId } }),
      attribute(api, leadId),
    ]);
    await until('the deal has the partner', async () => (await partnerOf(api, data.id)) === partnerId);
  });
});
