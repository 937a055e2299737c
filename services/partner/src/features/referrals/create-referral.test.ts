import { until } from '@tandem/testing';
import {
  anApprovedPartner,
  aPartner,
  aPeer,
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

  it('rejects a lead that is already referred, also concurrently', async () => {
    const api = service.as();
    const partners = [await anApprovedPartner(api), await anApprovedPartner(api)];
    const replies = await Promise.all(
      [...partners, ...partners].map(({ id }) => api.createReferral({ body: { partnerId: id, leadId } })),
    );
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
