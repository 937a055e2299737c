import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  aPartner,
  aPeer,
  dealWon,
  existing,
  leadCreatedWith,
  missingId,
  type Peer,
  publish,
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

const leadId = existing.lead;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('createReferral', () => {
  it('attributes a lead by partner or by case-insensitive code, and emits an event', async () => {
    const api = service.as();
    const { id: partnerId, code } = await anApprovedPartner(api);
    const { status, data } = await api.createReferral({ body: { code: code.toLowerCase(), leadId } });
    expect([status, data]).toEqual([
      201,
      expect.objectContaining({ partnerId, leadId, code, status: 'attributed', externalId: null }),
    ]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'referral.attributed' && one.target.id === Number(data.id)),
    );
    expect(event.data).toEqual({ referralId: data.id, partnerId, leadId });
    const byId = await api.createReferral({ body: { partnerId, leadId: '6' } });
    expect([byId.status, byId.data.code]).toEqual([201, null]);
    expect((await api.getPartner({ params: { id: partnerId } })).data.referralCount).toBe(2);
    expect(peer.requests.find(({ path }) => path === '/internal/leads/find')?.caller.name).toBe('partner');
  });

  it('reads the lead with the caller’s reach, and rejects callers without access to leads', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const refer = async (...can: string[]) => {
      const caller = service.as({
        tenantId: api.caller.tenantId as number,
        userId: 8,
        can: ['partners:write', ...can],
      });
      return (await caller.createReferral({ body: { partnerId, leadId } })).status;
    };
    expect(await refer()).toBe(403);
    expect(await refer('leads:read:own')).toBe(422);
    expect(await refer('leads:read')).toBe(201);
  });

  it('rejects a lead that the partner has referred already, also concurrently', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const refer = () => api.createReferral({ body: { partnerId, leadId } });
    const replies = await Promise.all([refer(), refer(), refer(), refer()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('already_referred');
  });

  it('returns the existing referral for a repeated externalId, also concurrently', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const body = { partnerId, leadId, externalId: 'order-17' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => api.createReferral({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1);
    const gone = await api.createReferral({ body: { ...body, leadId: missingId } });
    expect([gone.status, gone.data.leadId]).toEqual([200, leadId]);
    const other = service.as();
    const { id } = await anApprovedPartner(other);
    expect((await other.createReferral({ body: { ...body, partnerId: id } })).status).toBe(201);
  });

  it('rejects a partner who is not approved', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner({ referralCode: 'EARLY' }) });
    for (const who of [{ partnerId: data.id }, { code: 'EARLY' }]) {
      const reply = await api.createReferral({ body: { ...who, leadId } });
      expect([reply.status, reply.body.code]).toEqual([409, 'partner_not_approved']);
    }
  });

  it('reports the field with an unknown, foreign or missing value', async () => {
    const api = service.as();
    const mine = await anApprovedPartner(api);
    const theirs = await anApprovedPartner(service.as());
    const field = async (body: object) => {
      const reply = await api.createReferral({ body });
      return [reply.status, reply.body.errors?.[0]?.field];
    };
    expect(await field({ partnerId: mine.id, leadId: missingId })).toEqual([422, 'leadId']);
    expect(await field({ partnerId: theirs.id, leadId })).toEqual([422, 'partnerId']);
    expect(await field({ code: theirs.code, leadId })).toEqual([422, 'code']);
    expect(await field({ leadId })).toEqual([422, 'partnerId']);
    expect(await field({ partnerId: mine.id, code: mine.code, leadId })).toEqual([422, 'code']);
    expect(await field({ code: mine.code, clickId: 'x', leadId })).toEqual([422, 'clickId']);
    expect(await field({ clickId: 'nobodys', leadId })).toEqual([422, 'clickId']);
    expect(await field({ partnerId: mine.id })).toEqual([422, 'leadId']);
    expect(await field({ partnerId: mine.id, leadId, lead: { email: 'x@example.com' } })).toEqual([422, 'lead']);
    expect(await field({ partnerId: mine.id, leadId, occurredAt: daysAgo(-1) })).toEqual([422, 'occurredAt']);
    expect(await field({ partnerId: mine.id, leadId, occurredAt: daysAgo(3654) })).toEqual([422, 'occurredAt']);
  });

  it('earns for the deals that were won after the partner referred the lead', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    for (const [opportunityId, days] of [
      ['8001', 1],
      ['8002', 3],
    ] as const)
      await publish(service, api, {
        ...dealWon({ opportunityId, leadId: '81', value: 100 }),
        occurredAt: daysAgo(days),
      });
    await until('the deals wait', async () => {
      return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 2;
    });
    const occurredAt = daysAgo(2);
    const { data } = await api.createReferral({ body: { partnerId, leadId: '81', occurredAt } });
    expect(data).toMatchObject({ occurredAt, source: 'manual', version: 1, allowedTransitions: ['void'] });
    const { data: commissions } = await api.listPartnerCommissions({ params: { id: partnerId } });
    expect(commissions).toMatchObject([{ opportunityId: '8001', amount: 5 }]);
  });
});

describe('createReferral with a lead', () => {
  it('creates the lead in crm, or finds it by its address', async () => {
    const api = service.as();
    const { code } = await anApprovedPartner(api);
    const lead = { email: 'grace@example.org', firstName: 'Grace', lastName: 'Hopper' };
    const created = await api.createReferral({ body: { code, lead } });
    expect([created.status, created.data.status]).toEqual([201, 'attributed']);
    const asked = peer.requests.findLast(({ path }) => path === '/internal/leads/upsert-by-email');
    // Without the code: the event of the lead would attribute it a second time.
    expect([asked?.body, asked?.caller.tenantId]).toEqual([{ ...lead, source: 'referral' }, api.caller.tenantId]);
    const again = await api.createReferral({ body: { code, lead } });
    expect([again.status, again.body.code]).toEqual([409, 'already_referred']);
  });

  it('creates no lead for a partner or a code that attributes nothing', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    await service.sqlWithin(api.caller, 'UPDATE referral_code SET is_active = false');
    const lead = { email: 'nobody@example.org' };
    const refused = async (body: object) => (await api.createReferral({ body: { ...body, lead } })).body.code;
    expect(await refused({ code })).toBe('code_not_usable');
    await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended'`);
    expect(await refused({ partnerId: id })).toBe('partner_not_approved');
    expect(await refused({ code: 'NOBODYS' })).toBe('validation_failed');
    expect(peer.requests.some(({ body }) => body.email === lead.email)).toBe(false);
  });

  it('flags a lead that is the partner or its portal user, also with a tag or dots in the address', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api, { email: 'joan.clarke@googlemail.com' });
    const lead = { email: 'JoanClarke+shop@gmail.com', firstName: 'J', lastName: 'C' };
    expect((await api.createReferral({ body: { partnerId, lead } })).data.status).toBe('flagged');
    const user = { email: 'murray@example.org', password: 'a long phrase is best', role: 'member' };
    await api.createPortalUser({ params: { id: partnerId }, body: user });
    const ofUser = { email: 'murray+2@example.org', firstName: 'Murray', lastName: 'C' };
    expect((await api.createReferral({ body: { partnerId, lead: ofUser } })).data.status).toBe('flagged');
  });

  it('needs the permission to write leads, and does not reveal a lead of somebody else', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const refer = async (email: string, ...can: string[]) => {
      const tenantId = api.caller.tenantId as number;
      const caller = service.as({ tenantId, userId: 8, can: ['partners:write', ...can] });
      const { status, body } = await caller.createReferral({ body: { partnerId, lead: { email } } });
      return [status, body.errors?.[0]?.field];
    };
    expect((await refer('own@example.org', 'leads:read'))[0]).toBe(403);
    expect((await refer('own@example.org', 'leads:read:own', 'leads:write'))[0]).toBe(201);
    expect(await refer('own@example.org', 'leads:read:own', 'leads:write')).toEqual([422, 'lead']);
  });
});

describe('createReferral with a click', () => {
  const aClick = async (api: Api, id: string) => {
    const { data } = await api.listReferralCodes({ params: { id } });
    peer.setAddons(api.caller.tenantId as number, {
      partner_program: { defaultLandingUrl: 'https://shop.example.com/' },
    });
    const { headers } = await until('the link works', async () => {
      const params = { tenant: String(api.caller.tenantId), code: data[0].code };
      const answer = await anonymous(service).followReferralLink({ params });
      return answer.status === 302 && answer;
    });
    return new URL(headers.location as string).searchParams.get('clickId') as string;
  };

  it('attributes the lead to the partner of the link at the time of the click, within a second', async () => {
    const api = service.as();
    const { id: partnerId, code } = await anApprovedPartner(api);
    const before = Date.now();
    const clickId = await aClick(api, partnerId);
    const { data } = await until('the click is stored', async () => {
      const reply = await api.createReferral({ body: { clickId, leadId } });
      return reply.status === 201 && reply;
    });
    expect(data).toMatchObject({ partnerId, leadId, code, clickId, source: 'link', status: 'attributed' });
    expect(new Date(data.occurredAt).getTime()).toBeGreaterThanOrEqual(before);
    expect(new Date(data.occurredAt).getTime()).toBeLessThanOrEqual(new Date(data.createdAt).getTime());
  });

  it('attributes nothing by a click that is too old, or with another time', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const clickId = await aClick(api, id);
    await until('the click is stored', async () => {
      const sql = `UPDATE referral_click SET at = now() - interval '91 days' RETURNING at`;
      return (await service.sqlWithin(api.caller, sql)).length === 1;
    });
    const field = async (body: object) => {
      const reply = await api.createReferral({ body: { clickId, leadId, ...body } });
      return [reply.status, reply.body.errors?.[0]?.field];
    };
    expect(await field({})).toEqual([422, 'clickId']);
    expect(await field({ occurredAt: daysAgo(1) })).toEqual([422, 'occurredAt']);
  });
});

describe('a lead with a referral code', () => {
  const count = async (api: ReturnType<Service['as']>, id: string) =>
    (await api.getPartner({ params: { id } })).data.referralCount;

  it('is attributed once, in the tenant and environment of the code, under duplicate events', async () => {
    const api = service.as();
    const { id, code } = await anApprovedPartner(api);
    const event = leadCreatedWith(code.toLowerCase(), '40');
    const eventId = await publish(service, api, event);
    await until('it is attributed', async () => (await count(api, id)) === 1);
    await publish(service, api, event, eventId);
    await publish(service, api, event);
    await publish(service, service.as(), leadCreatedWith(code, '41'));
    await publish(service, service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' }), event);
    await publish(service, api, leadCreatedWith(code, '42'));
    await until('the last one is attributed', async () => (await count(api, id)) === 2);
    const attributed = () =>
      service.events.filter(({ name, tenantId }) => name === 'referral.attributed' && tenantId === api.caller.tenantId);
    await until('both events arrive', () => attributed().length >= 2);
    expect(
      attributed()
        .map(({ data }) => (data as { leadId: string }).leadId)
        .sort(),
    ).toEqual(['40', '42']);
  });

  it('is ignored when no approved partner has the code', async () => {
    const api = service.as();
    const { data: pending } = await api.createPartner({ body: aPartner({ referralCode: 'EARLY' }) });
    const { id, code } = await anApprovedPartner(api);
    await publish(service, api, leadCreatedWith('NOBODYS', '50'));
    await publish(service, api, leadCreatedWith('EARLY', '51'));
    await publish(service, api, leadCreatedWith(null, '52'));
    await publish(service, api, leadCreatedWith(code, '53'));
    await until('the last one is attributed', async () => (await count(api, id)) === 1);
    expect(await count(api, pending.id)).toBe(0);
    expect(await service.deadLetters('credit-partners')).toEqual([]);
  });

  it('is dead-lettered when the event is unreadable', async () => {
    const api = service.as();
    const { data, name } = leadCreatedWith('X', '60');
    await publish(service, api, { name, data, record: { id: 'no' } });
    const letters = await until('it is a dead letter', async () => {
      const found = await service.deadLetters('credit-partners');
      return found.length > 0 && found;
    });
    expect(letters[0]).toMatchObject({ name: 'lead.created', reason: 'unreadable' });
  });
});
