import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPartner,
  aPeer,
  existing,
  leadCreatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { setTiers } from '../tiers/tiers.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const because = { reason: 'Misleading advertising', note: 'See the mail of May 4' };
const steps = {
  approve: (api: Api, id: string) => api.approvePartner({ params: { id }, body: {} }),
  reject: (api: Api, id: string) => api.rejectPartner({ params: { id }, body: because }),
  reapply: (api: Api, id: string) => api.reapplyPartner({ params: { id } }),
  suspend: (api: Api, id: string) => api.suspendPartner({ params: { id }, body: because }),
  reactivate: (api: Api, id: string) => api.reactivatePartner({ params: { id } }),
  terminate: (api: Api, id: string) => api.terminatePartner({ params: { id }, body: { ...because, unpaid: 'pay' } }),
};
type Step = keyof typeof steps;

/** A partner after some steps from the registration. */
async function partnerAfter(api: Api, ...taken: Step[]) {
  const { data } = await api.createPartner({ body: aPartner() });
  for (const step of taken) expect((await steps[step](api, data.id)).status).toBe(200);
  return data as { id: string; version: number };
}

const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((event) => event.name === name && event.target.id === Number(id)));
const endedOf = (partnerId: string) =>
  peer.requests.filter(({ path, body }) => path === '/internal/portal-sessions/end' && body.partnerId === partnerId);

describe('the status of a partner', () => {
  const paths: [string, Step[], Step[]][] = [
    ['pending', [], ['approve', 'reject']],
    ['rejected', ['reject'], ['reapply']],
    ['approved', ['approve'], ['suspend', 'terminate']],
    ['suspended', ['approve', 'suspend'], ['reactivate', 'terminate']],
    ['terminated', ['approve', 'terminate'], []],
  ];

  it.each(paths)('of a %s partner changes only by the steps of the state table', async (status, taken, possible) => {
    const api = service.as();
    for (const step of Object.keys(steps) as Step[]) {
      const { id } = await partnerAfter(api, ...taken);
      const reply = await steps[step](api, id);
      if (possible.includes(step)) expect(reply.status).toBe(200);
      else
        expect([reply.status, reply.body.code, reply.body.errors?.[0]?.message]).toEqual([
          409,
          'transition_refused',
          expect.stringContaining(`The status is ${status};`),
        ]);
    }
  });

  it('keeps the reason and the note until it changes again, and announces both', async () => {
    const api = service.as();
    const { id } = await partnerAfter(api);
    const { data: rejected } = await steps.reject(api, id);
    expect(rejected).toMatchObject({
      status: 'rejected',
      allowedTransitions: ['pending'],
      statusReason: because.reason,
      statusNote: because.note,
      statusChangedAt: expect.any(String),
      version: 2,
    });
    const event = await eventOf('partner.rejected', id);
    expect(event).toMatchObject({
      data: { partnerId: id, reason: because.reason },
      record: { status: 'rejected' },
      changes: { status: { from: 'pending', to: 'rejected' } },
    });
    expect(event.record).not.toHaveProperty('statusNote');
    const noteFor = async (can: string[]) => {
      const reader = service.as({ tenantId: api.caller.tenantId as number, can });
      return (await reader.getPartner({ params: { id } })).data.statusNote;
    };
    expect(await noteFor(['partners:read', 'partners:manage'])).toBe(because.note);
    expect(await noteFor(['partners:read', 'partners:write'])).toBeNull();
    const { data: reapplied } = await steps.reapply(api, id);
    expect(reapplied).toMatchObject({ status: 'pending', statusReason: null, statusNote: null, version: 3 });
    await eventOf('partner.reapplied', id);
    expect((await steps.approve(api, id)).data).toMatchObject({ status: 'approved', approvedAt: expect.any(String) });
  });

  it('needs a reason to be rejected, suspended or terminated, and says what happens to unpaid commissions', async () => {
    const api = service.as();
    const { id } = await partnerAfter(api, 'approve');
    const params = { id };
    const fieldsOf = ({ body }: Awaited<ReturnType<typeof steps.suspend>>) => body.errors?.map(({ field }) => field);
    expect(fieldsOf(await api.rejectPartner({ params, body: { reason: ' ' } }))).toEqual(['reason']);
    expect(fieldsOf(await api.suspendPartner({ params, body: {} }))).toEqual(['reason']);
    expect(fieldsOf(await api.terminatePartner({ params, body: { unpaid: 'later' } }))?.sort()).toEqual([
      'reason',
      'unpaid',
    ]);
    await api.terminatePartner({ params, body: { reason: 'Fraud', unpaid: 'forfeit' } });
    expect((await eventOf('partner.terminated', id)).data).toMatchObject({ reason: 'Fraud', unpaid: 'forfeit' });
  });

  it('changes once when two people change it at the same time', async () => {
    const api = service.as();
    const { id } = await partnerAfter(api, 'approve');
    const replies = await Promise.all([steps.suspend(api, id), steps.suspend(api, id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const stale = await api.reactivatePartner({ params: { id }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it.each(['suspend', 'terminate'] as const)(
    'after %s, portal sessions end and leads are not attributed',
    async (step) => {
      const api = service.as();
      const { id, code } = await anApprovedPartner(api);
      await steps[step](api, id);
      await until('the sessions are ended', () => endedOf(id).length === 1);
      expect(endedOf(id)[0]).toMatchObject({ body: { partnerId: id }, caller: { tenantId: api.caller.tenantId } });
      const reply = await api.createReferral({ body: { leadId: existing.lead, code } });
      expect(reply.status).toBe(409);
      await publish(service, api, leadCreatedWith(code, '77', { email: 'new@example.com' }), randomUUID());
      const other = await anApprovedPartner(api);
      await publish(service, api, leadCreatedWith(other.code, '78', { email: 'other@example.com' }), randomUUID());
      const countOf = async (partner: string) =>
        (await api.getPartner({ params: { id: partner } })).data.referralCount as number;
      await until('the lead after it is attributed', async () => (await countOf(other.id)) === 1);
      expect(await countOf(id)).toBe(0);
    },
  );

  it('is followed by the tiers: recruits who are suspended do not count, and a reactivated partner is evaluated', async () => {
    const api = service.as();
    const parent = await anApprovedPartner(api);
    const recruit = await anApprovedPartner(api, { parentPartnerId: parent.id });
    await setTiers(api, { silver: { thresholds: { recruits: 1 }, graceDays: 0 } });
    const tierOf = async (id: string) => (await api.getPartner({ params: { id } })).data.tier;
    await until('the recruit counts', async () => (await tierOf(parent.id)) === 'silver');
    await steps.suspend(api, recruit.id);
    await until('the recruit does not count', async () => (await tierOf(parent.id)) === 'bronze');
    await steps.suspend(api, parent.id);
    await steps.reactivate(api, recruit.id);
    await steps.reactivate(api, parent.id);
    await until('both are evaluated', async () => (await tierOf(parent.id)) === 'silver');
  });
});

describe('deletePartner', () => {
  it('deletes a partner without history, with codes and portal users, and announces a newer version', async () => {
    const api = service.as();
    const { id, email, code } = await anApprovedPartner(api);
    const user = { email, password: 'a long phrase is best', role: 'owner' };
    expect((await api.createPortalUser({ params: { id }, body: user })).status).toBe(201);
    expect((await api.deletePartner({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await api.getPartner({ params: { id } })).status).toBe(404);
    expect((await eventOf('partner.deleted', id)).record).toMatchObject({ version: 3 });
    await until('the sessions are ended', () => endedOf(id).length === 1);
    const again = await api.createPartner({ body: aPartner({ email, referralCode: code }) });
    expect(again.status).toBe(201);
    const { status } = await api.createPortalUser({ params: { id: again.data.id }, body: user });
    expect(status).toBe(201);
  });

  it('refuses partners with recruits, referrals or commissions, and names the remedy', async () => {
    const api = service.as();
    const parent = await anApprovedPartner(api);
    await anApprovedPartner(api, { parentPartnerId: parent.id });
    const referring = await anApprovedPartner(api);
    expect((await api.createReferral({ body: { leadId: existing.lead, partnerId: referring.id } })).status).toBe(201);
    const [owed, paid] = [await anApprovedPartner(api), await anApprovedPartner(api)];
    const insert = (id: string, status: string) =>
      service.sqlWithin(
        api.caller,
        `INSERT INTO commission (partner_id, amount_minor, currency, status) VALUES ($1, 1000, 'EUR', $2)`,
        [id, status],
      );
    await insert(owed.id, 'on_hold');
    await insert(paid.id, 'cancelled');
    const refused = async ({ id }: { id: string }) => {
      const { status, body } = await api.deletePartner({ params: { id } });
      expect([status, body.code, body.message]).toEqual([
        409,
        'partner_in_use',
        'The partner has recruits, referrals or commissions; terminate it instead',
      ]);
      return body.errors?.map(({ message }) => message);
    };
    expect(await refused(parent)).toEqual(['The partner has recruited partners']);
    expect(await refused(referring)).toEqual(['Leads are attributed to the partner']);
    expect(await refused(owed)).toEqual(['The partner has unpaid commissions']);
    expect(await refused(paid)).toEqual(['The partner has commissions']);
  });
});
