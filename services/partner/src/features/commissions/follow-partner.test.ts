import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

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

const reason = 'Checked';

/** A partner with a pending, an approved, a held and a cancelled commission. */
async function aPartnerWithCommissions() {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  const body = { amount: 10, currency: 'EUR', description: 'Event' };
  const cids: string[] = [];
  for (let number = 0; number < 4; number++) cids.push((await api.createCommission({ params: { id }, body })).data.id);
  await api.approveCommission({ params: { cid: cids[1] }, body: {} });
  await api.holdCommission({ params: { cid: cids[2] }, body: { reason } });
  await api.cancelCommission({ params: { cid: cids[3] }, body: { reason } });
  return { api, params: { id }, cids };
}

/** Waits until the commissions have these statuses. */
const become = (api: Api, cids: string[], statuses: string[]) =>
  until(`the commissions are ${statuses}`, async () => {
    const replies = await Promise.all(cids.map((cid) => api.getCommission({ params: { cid } })));
    return `${replies.map(({ data }) => data.status)}` === `${statuses}`;
  });

describe('the unpaid commissions of a partner', () => {
  it('are on hold while the partner is suspended, and pending when it is reactivated', async () => {
    const { api, params, cids } = await aPartnerWithCommissions();
    const before = (await api.getPartner({ params })).data.balances;
    await api.suspendPartner({ params, body: { reason } });
    await become(api, cids, ['on_hold', 'on_hold', 'on_hold', 'cancelled']);
    await api.reactivatePartner({ params });
    // Commissions that a person has put on hold stay so.
    await become(api, cids, ['pending', 'pending', 'on_hold', 'cancelled']);
    expect((await api.getPartner({ params })).data.balances).toEqual(before);
  });

  it('are approved when a terminated partner is paid, after a suspension too', async () => {
    const { api, params, cids } = await aPartnerWithCommissions();
    await api.suspendPartner({ params, body: { reason } });
    await become(api, cids, ['on_hold', 'on_hold', 'on_hold', 'cancelled']);
    await api.terminatePartner({ params, body: { reason, unpaid: 'pay' } });
    await become(api, cids, ['approved', 'approved', 'on_hold', 'cancelled']);
  });

  it('are cancelled when a terminated partner forfeits them', async () => {
    const { api, params, cids } = await aPartnerWithCommissions();
    await api.terminatePartner({ params, body: { reason, unpaid: 'forfeit' } });
    await become(api, cids, ['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    expect((await api.getPartner({ params })).data.balances).toEqual([{ currency: 'EUR', amount: 0 }]);
  });

  it('are held, and not paid, although a payout has collected them', async () => {
    const { api, params, cids } = await aPartnerWithCommissions();
    const { data } = await api.createPayout({ body: { periodEnd: new Date().toISOString(), currency: 'EUR' } });
    const payout = { id: data.id };
    await until('the payout is prepared', async () => (await api.getPayout({ params: payout })).data.preparedAt);
    await api.approvePayout({ params: payout });
    await service.sqlWithin(api.caller, "UPDATE partner SET status = 'suspended' WHERE id = $1", [params.id]);
    expect((await api.processPayout({ params: payout, body: { method: 'file' } })).data.status).toBe('failed');
    await service.sqlWithin(api.caller, "UPDATE partner SET status = 'approved' WHERE id = $1", [params.id]);
    await api.suspendPartner({ params, body: { reason } });
    await become(api, cids, ['on_hold', 'on_hold', 'on_hold', 'cancelled']);
    expect((await api.getPayout({ params: payout })).data).toMatchObject({ status: 'completed', itemCount: 0 });
  });

  it('are not collected by a payout while the partner is suspended', async () => {
    const { api, params, cids } = await aPartnerWithCommissions();
    await service.sqlWithin(api.caller, "UPDATE partner SET status = 'suspended' WHERE id = $1", [params.id]);
    const body = { periodEnd: new Date().toISOString(), currency: 'EUR' };
    const { data } = await api.createPayout({ body });
    const payout = await until('the payout is prepared', async () => {
      const reply = await api.getPayout({ params: { id: data.id } });
      return reply.data.preparedAt && reply.data;
    });
    expect(payout.itemCount).toBe(0);
    await become(api, cids, ['pending', 'approved', 'on_hold', 'cancelled']);
  });
});
