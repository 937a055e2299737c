import { testSettings, until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  existing,
  leadCreatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  settings = await testSettings('partner');
  service = await startPartner(peer, {}, { shared: settings });
});
afterAll(async () => {
  await service?.close();
  await settings?.drop();
  await peer?.close();
});

const leadId = existing.lead;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('the limit of a code', () => {
  const aCode = async (api: Api, body: object) => {
    const { id } = await anApprovedPartner(api);
    const { data } = await api.createReferralCode({ params: { id }, body });
    const uses = async () => (await api.listReferralCodes({ params: { id } })).data[0].uses as number;
    return { id, code: data.code as string, codeId: data.id as string, uses };
  };

  it('holds for requests on two instances and events at once', async () => {
    const api = service.as();
    const { code, uses } = await aCode(api, { maxUses: 5 });
    const second = await startPartner(peer, {}, { shared: settings });
    try {
      const other = second.as(api.caller);
      const refer = (index: number) =>
        (index % 2 ? api : other).createReferral({ body: { code, leadId: String(100 + index) } });
      const [replies] = await Promise.all([
        Promise.all(Array.from({ length: 12 }, (_, index) => refer(index))),
        ...Array.from({ length: 6 }, (_, index) => publish(service, api, leadCreatedWith(code, String(200 + index)))),
      ]);
      const refused = replies.filter(({ status }) => status !== 201);
      expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['409 code_not_usable']),
      );
      await until('the limit is reached', async () => (await uses()) === 5);
      const { id: last } = await anApprovedPartner(api);
      const marker = await api.createReferralCode({ params: { id: last }, body: {} });
      await publish(service, api, leadCreatedWith(marker.data.code, '300'));
      await until('the events are handled', async () => {
        return (await api.listPartnerReferrals({ params: { id: last } })).data.length === 1;
      });
      expect(await uses()).toBe(5);
    } finally {
      await second.close();
    }
  });

  it('gives a use back when the referral becomes void', async () => {
    const api = service.as();
    const { code, uses } = await aCode(api, { maxUses: 1 });
    const refer = (lead: string) => api.createReferral({ body: { code, leadId: lead } });
    const { data } = await refer('101');
    expect((await refer('102')).body.code).toBe('code_not_usable');
    expect((await refer('101')).body.code).toBe('already_referred');
    await api.voidReferral({ params: { id: data.id }, body: { reason: 'Fraud' } });
    expect(await uses()).toBe(0);
    expect((await refer('102')).status).toBe(201);
  });

  it('is one of three reasons why a code attributes nothing, also by events', async () => {
    const api = service.as();
    const { id, code, codeId } = await aCode(api, {});
    const set = (sql: string) =>
      service.sqlWithin(api.caller, `UPDATE referral_code SET ${sql} WHERE id = $1`, [codeId]);
    const message = async () => (await api.createReferral({ body: { code, leadId } })).body.errors?.[0]?.message;
    await set('is_active = false');
    expect(await message()).toBe('The code is inactive');
    await publish(service, api, leadCreatedWith(code, '401'));
    const other = await anApprovedPartner(api);
    await publish(service, api, leadCreatedWith(other.code, '403'));
    await until('the events are handled', async () => {
      return (await api.listPartnerReferrals({ params: { id: other.id } })).data.length === 1;
    });
    await set(`is_active = true, expires_at = now() - interval '1 minute'`);
    expect(await message()).toBe('The code has expired');
    // The partner referred the lead before the code expired.
    const { status } = await api.createReferral({ body: { code, leadId: '402', occurredAt: daysAgo(1) } });
    expect(status).toBe(201);
    const { data } = await api.listPartnerReferrals({ params: { id } });
    expect(data).toMatchObject([{ leadId: '402' }]);
  });
});
