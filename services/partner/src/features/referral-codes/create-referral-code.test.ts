import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  existing,
  missingId,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const hour = 3_600_000;
const soon = () => new Date(Date.now() + hour).toISOString();
const landingUrl = 'https://www.example.com/offer';

/** A client of a tenant whose links may lead to www.example.com. */
function aProgram(settings: object = {}): Api {
  const api = service.as();
  peer.setAddons(api.caller.tenantId as number, {
    partner_program: { allowedHosts: ['WWW.example.com'], ...settings },
  });
  return api;
}

async function aCode(api: Api, body: object = {}) {
  const { id } = await anApprovedPartner(api);
  const { status, data } = await api.createReferralCode({ params: { id }, body });
  expect(status).toBe(201);
  return { data, params: { id, codeId: data.id as string } };
}

const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));

const expire = (api: Api, codeId: string) =>
  service.sqlWithin(api.caller, `UPDATE referral_code SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    codeId,
  ]);

describe('createReferralCode', () => {
  it('returns 201 with the code in upper case and its public link, and emits an event', async () => {
    const api = aProgram();
    const fields = { label: 'Newsletter', landingUrl, campaignId: existing.campaign, expiresAt: soon(), maxUses: 5 };
    const { data, params } = await aCode(api, { ...fields, code: 'summer-26' });
    expect(data).toMatchObject({
      ...fields,
      partnerId: params.id,
      code: 'SUMMER-26',
      isActive: true,
      uses: 0,
      clicks: 0,
      uniqueClicks: 0,
      botClicks: 0,
      version: 1,
    });
    expect(data.link).toMatch(/^https:\/\/api\.example\.com\/v1\/public\/r\/\w+\/SUMMER-26$/);
    const event = await eventOf('referral_code.created', data.id);
    expect([event.data, event.record]).toEqual([{ referralCodeId: data.id, partnerId: params.id }, data]);
  });

  it('generates a code if there is none, and names the environment in links of the sandbox', async () => {
    const { data } = await aCode(service.as({ environment: 'sandbox' }));
    expect(data.code).toMatch(/^[A-Z2-9]{8}$/);
    expect(data.link).toMatch(/\?environment=sandbox$/);
  });

  it('rejects a code that exists in the tenant, regardless of case, also concurrently', async () => {
    const api = service.as();
    const partners = [await anApprovedPartner(api), await anApprovedPartner(api)];
    const codes = ['Same-1', 'SAME-1', 'same-1', 'sAmE-1'];
    const replies = await Promise.all(
      codes.map((code, index) => api.createReferralCode({ params: { id: partners[index % 2]?.id }, body: { code } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('code_taken');
    const { id } = await anApprovedPartner(service.as());
    expect((await service.as().createReferralCode({ params: { id }, body: { code: 'SAME-1' } })).status).toBe(404);
  });

  it('rejects a partner who is not approved', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner() });
    const reply = await api.createReferralCode({ params: { id: data.id }, body: {} });
    expect([reply.status, reply.body.code]).toEqual([409, 'partner_not_approved']);
  });

  it('rejects more than 100 codes of a partner, also concurrently', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await service.sqlWithin(
      api.caller,
      `INSERT INTO referral_code (partner_id, code) SELECT $1, 'CODE-' || n FROM generate_series(1, 98) AS n`,
      [id],
    );
    const create = () => api.createReferralCode({ params: { id }, body: {} });
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('too_many_codes');
  });

  it('names the field with a value that is not allowed', async () => {
    const api = aProgram();
    const { id } = await anApprovedPartner(api);
    const field = async (body: object) => {
      const reply = await api.createReferralCode({ params: { id }, body });
      return [reply.status, reply.body.errors?.[0]?.field];
    };
    expect(await field({ landingUrl: 'https://evil.example/offer' })).toEqual([422, 'landingUrl']);
    expect(await field({ landingUrl: 'https://example.com/offer' })).toEqual([422, 'landingUrl']);
    expect(await field({ landingUrl: 'http://www.example.com/offer' })).toEqual([422, 'landingUrl']);
    expect(await field({ campaignId: missingId })).toEqual([422, 'campaignId']);
    expect(await field({ expiresAt: new Date(Date.now() - hour).toISOString() })).toEqual([422, 'expiresAt']);
    expect(await field({ maxUses: 0 })).toEqual([422, 'maxUses']);
    expect(await field({ code: 'no' })).toEqual([422, 'code']);
  });

  it('admits the host of the default page, and no host while the addon is inactive', async () => {
    const api = aProgram({ allowedHosts: [], defaultLandingUrl: 'https://shop.example.com/' });
    await aCode(api, { landingUrl: 'https://shop.example.com/offer' });
    const other = service.as();
    const { id } = await anApprovedPartner(other);
    expect((await other.createReferralCode({ params: { id }, body: { landingUrl } })).status).toBe(422);
  });
});

describe('listReferralCodes', () => {
  it('lists the codes of a partner, or only the active ones, with their uses', async () => {
    const api = service.as();
    const { data, params } = await aCode(api);
    await api.createReferral({ body: { code: data.code, leadId: existing.lead } });
    await api.deactivateReferralCode({ params });
    const list = async (query = {}) => (await api.listReferralCodes({ params: { id: params.id }, query })).data;
    expect((await list()).map(({ uses, isActive }: { uses: number; isActive: boolean }) => [uses, isActive])).toEqual([
      [1, false],
      [0, true],
    ]);
    expect(await list({ isActive: 'true' })).toHaveLength(1);
    const { data: partner } = await api.getPartner({ params: { id: params.id } });
    expect(partner.referralCodes).toEqual((await list()).reverse());
  });
});

describe('updateReferralCode', () => {
  it('changes the given fields but never the code, and emits an event', async () => {
    const api = aProgram();
    const { data, params } = await aCode(api, { label: 'Old' });
    const { data: updated } = await api.updateReferralCode({
      params,
      body: { label: 'New', landingUrl, code: 'OTHER' },
    });
    expect(updated).toMatchObject({ label: 'New', landingUrl, code: data.code, version: 2 });
    const event = await eventOf('referral_code.updated', data.id);
    expect(event.changes).toEqual({
      label: { from: 'Old', to: 'New' },
      landingUrl: { from: null, to: landingUrl },
    });
    const same = await api.updateReferralCode({ params, body: { label: 'New' } });
    expect([same.status, same.data.version]).toEqual([200, 2]);
  });

  it('checks what changes only: a page whose host is not allowed any more stays', async () => {
    const api = aProgram();
    const { params } = await aCode(api, { landingUrl });
    peer.setAddons(api.caller.tenantId as number, {});
    let last = landingUrl;
    await until('the addon is off', async () => {
      const next = `${last}/x`;
      const reply = await api.updateReferralCode({ params, body: { landingUrl: next } });
      if (reply.status === 200) last = next;
      return reply.body.errors?.[0]?.field === 'landingUrl';
    });
    expect((await api.updateReferralCode({ params, body: { landingUrl: last, label: 'New' } })).status).toBe(200);
    expect((await api.updateReferralCode({ params, body: { campaignId: missingId } })).status).toBe(422);
  });

  it('does not find the code of another partner or tenant, and respects If-Match', async () => {
    const api = service.as();
    const { params } = await aCode(api);
    const other = await anApprovedPartner(api);
    const call = (as: Api, id: string, headers = {}) =>
      as.updateReferralCode({ params: { ...params, id }, body: { label: 'New' }, headers });
    expect((await call(api, other.id)).status).toBe(404);
    expect((await call(service.as(), params.id)).status).toBe(404);
    expect((await call(api, params.id, { 'If-Match': '"7"' })).status).toBe(412);
  });
});

describe('activateReferralCode and deactivateReferralCode', () => {
  it('switch a code off and on, once each, with an event', async () => {
    const api = service.as();
    const { data, params } = await aCode(api);
    const states = [];
    for (const call of [api.deactivateReferralCode, api.deactivateReferralCode, api.activateReferralCode]) {
      const { data: after } = await call({ params });
      states.push([after.isActive, after.version]);
    }
    expect(states).toEqual([
      [false, 2],
      [false, 2],
      [true, 3],
    ]);
    const event = await eventOf('referral_code.activated', data.id);
    expect(event.changes).toEqual({ isActive: { from: false, to: true } });
    await eventOf('referral_code.deactivated', data.id);
  });

  it('an expired code cannot be activated, nor a code of a partner who is not approved', async () => {
    const api = service.as();
    const { params } = await aCode(api);
    await api.deactivateReferralCode({ params });
    await expire(api, params.codeId);
    const expired = await api.activateReferralCode({ params });
    expect([expired.status, expired.body.code]).toEqual([409, 'code_expired']);
    await api.updateReferralCode({ params, body: { expiresAt: null } });
    await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended'`);
    const suspended = await api.activateReferralCode({ params });
    expect([suspended.status, suspended.body.code]).toEqual([409, 'partner_not_approved']);
  });
});

describe('findReferralCode', () => {
  it('returns the partner and the label of a code, in upper or lower case', async () => {
    const api = service.as();
    const { data, params } = await aCode(api, { label: 'Checkout' });
    const { data: partner } = await api.getPartner({ params: { id: params.id } });
    const found = await api.findReferralCode({ params: { code: data.code.toLowerCase() } });
    expect([found.status, found.data]).toEqual([
      200,
      {
        partnerId: params.id,
        partnerName: `${partner.firstName} ${partner.lastName}`,
        company: null,
        code: data.code,
        label: 'Checkout',
      },
    ]);
    expect((await service.as().findReferralCode({ params: { code: data.code } })).status).toBe(404);
  });

  it('answers 409 for a code that attributes nothing', async () => {
    const api = service.as();
    const { data, params } = await aCode(api, { maxUses: 1 });
    const answer = async () => {
      const { status, body } = await api.findReferralCode({ params: { code: data.code } });
      return [status, body.errors?.[0]?.message ?? body.code];
    };
    await api.createReferral({ body: { code: data.code, leadId: existing.lead } });
    expect(await answer()).toEqual([409, 'The code is used up']);
    await api.updateReferralCode({ params, body: { maxUses: null } });
    await api.deactivateReferralCode({ params });
    expect(await answer()).toEqual([409, 'The code is inactive']);
    await api.activateReferralCode({ params });
    await expire(api, params.codeId);
    expect(await answer()).toEqual([409, 'The code has expired']);
    await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended'`);
    expect(await answer()).toEqual([409, 'The partner is suspended']);
  });
});
