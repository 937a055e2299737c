import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  missingId,
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

const bonus = (fields: object = {}) => ({ amount: 50, currency: 'EUR', description: 'Launch event', ...fields });

/** A partner with a bonus; returns functions that change the commission. */
async function aCommission(fields: object = {}) {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  const { status, data } = await api.createCommission({ params: { id }, body: bonus(fields) });
  expect(status).toBe(201);
  return { api, partnerId: id, commission: data, params: { cid: data.id } };
}

// The ids in a list of a bulk operation are those of the public API.
const codec = createIdCodec(process.env.IDS_ALPHABET as string);

/** Marks commissions as paid as a payout does. */
const pay = (api: Api, cid: string) =>
  service.sqlWithin(
    api.caller,
    `UPDATE commission SET status = 'paid', paid_at = now(), approved_at = now(), ledger_state = NULL WHERE id = $1`,
    [cid],
  );

const balance = async (api: Api, id: string) => (await api.getPartner({ params: { id } })).data.balances;
const entries = (api: Api, id: string) =>
  service.sqlWithin(
    api.caller,
    'SELECT kind, amount_minor::int AS amount FROM ledger_entry WHERE partner_id = $1 ORDER BY id',
    [id],
  );

describe('the changes of a commission', () => {
  it('lead from pending to approved, on hold, pending again, and cancelled, each with its event', async () => {
    const { api, params, partnerId } = await aCommission();
    const reason = 'Checked by hand';
    const { data: approved } = await api.approveCommission({ params, body: {} });
    expect(approved).toMatchObject({ status: 'approved', approvedAt: expect.any(String) });
    const { data: held } = await api.holdCommission({ params, body: { reason } });
    expect(held).toMatchObject({ status: 'on_hold', reason, approvedAt: null });
    expect((await api.releaseCommission({ params })).data).toMatchObject({ status: 'pending', reason: 'Launch event' });
    expect(await balance(api, partnerId)).toEqual([{ currency: 'EUR', amount: 50 }]);
    const { data: cancelled } = await api.cancelCommission({ params, body: { reason } });
    expect(cancelled).toMatchObject({ status: 'cancelled', allowedTransitions: [] });
    expect(await balance(api, partnerId)).toEqual([{ currency: 'EUR', amount: 0 }]);
    expect(await entries(api, partnerId)).toEqual([
      { kind: 'bonus', amount: 5000 },
      { kind: 'cancellation', amount: -5000 },
    ]);
    const names = () =>
      service.events.filter(({ tenantId, name }) => tenantId === api.caller.tenantId && name.startsWith('commission.'));
    await until('all events arrive', () => names().length === 5);
    expect(names().map(({ name }) => name)).toEqual([
      'commission.earned',
      'commission.approved',
      'commission.held',
      'commission.released',
      'commission.cancelled',
    ]);
  });

  it.each<[string, string[]]>([
    ['pending', ['releaseCommission']],
    ['on_hold', ['approveCommission', 'holdCommission']],
    ['approved', ['approveCommission', 'releaseCommission']],
    ['paid', ['approveCommission', 'holdCommission', 'releaseCommission', 'cancelCommission']],
    ['cancelled', ['approveCommission', 'holdCommission', 'releaseCommission', 'cancelCommission']],
  ])('refuse what the state table does not have from %s', async (status, operations) => {
    const { api, params } = await aCommission();
    await service.sqlWithin(api.caller, 'UPDATE commission SET status = $2 WHERE id = $1', [params.cid, status]);
    for (const operation of operations) {
      const { status: code, body } = await (api[operation as keyof Api] as typeof api.cancelCommission)({
        params,
        body: { reason: 'No' },
      });
      expect([operation, code, body.code]).toEqual([operation, 409, 'transition_refused']);
    }
    const { data } = await api.getCommission({ params });
    expect(data.status).toBe(status);
  });

  it('wait for the hold period before an approval, unless it is forced', async () => {
    const { api, params } = await aCommission();
    await service.sqlWithin(api.caller, "UPDATE commission SET hold_until = now() + interval '1 day'");
    const { status, body } = await api.approveCommission({ params, body: {} });
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([409, 'hold_not_over', 'force']);
    expect((await api.approveCommission({ params, body: { force: true } })).data.status).toBe('approved');
    const other = await aCommission();
    await service.sqlWithin(other.api.caller, "UPDATE commission SET hold_until = now() - interval '1 second'");
    expect((await other.api.approveCommission({ params: other.params, body: {} })).data.status).toBe('approved');
  });

  it('reverse a paid commission once, by at most its amount', async () => {
    const { api, params, partnerId } = await aCommission();
    const reason = 'Refunded';
    expect((await api.clawbackCommission({ params, body: { reason } })).body.code).toBe('not_paid');
    await pay(api, params.cid);
    for (const amount of [50.01, 0.001, 0, -5]) {
      const { status, body } = await api.clawbackCommission({ params, body: { reason, amount } });
      expect([amount, status, body.errors?.[0]?.field]).toEqual([amount, 422, 'amount']);
    }
    const replies = await Promise.all(
      [20, 20, 20].map((amount) => api.clawbackCommission({ params, body: { reason, amount } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(replies.find(({ status }) => status === 201)?.data).toMatchObject({
      type: 'clawback',
      status: 'approved',
      amount: -20,
      originalCommissionId: params.cid,
      reason,
    });
    expect((await api.clawbackCommission({ params, body: { reason } })).body.code).toBe('already_clawed_back');
    expect(await balance(api, partnerId)).toEqual([{ currency: 'EUR', amount: -20 }]);
    const { data } = await api.listCommissionStatements({ params: { id: partnerId } });
    expect(data).toMatchObject([{ earned: 50, paid: 50, clawbacks: -20, closingBalance: -20, commissionCount: 2 }]);
    // A clawback that was a mistake makes place for another one.
    const { id: cid } = replies.find(({ status }) => status === 201)?.data ?? {};
    await api.cancelCommission({ params: { cid }, body: { reason } });
    expect((await api.clawbackCommission({ params, body: { reason } })).data.amount).toBe(-50);
    expect(await balance(api, partnerId)).toEqual([{ currency: 'EUR', amount: -50 }]);
  });

  it('are made for many at once, with one result each', async () => {
    const { api, params, partnerId } = await aCommission();
    const { data: other } = await api.createCommission({ params: { id: partnerId }, body: bonus() });
    await api.cancelCommission({ params: { cid: other.id }, body: { reason: 'Mistake' } });
    const code = (id: string) => codec.encode('commission', api.caller.tenantId as number, Number(id));
    const ids = [params.cid, other.id, missingId].map(code);
    const { data } = await api.bulkApproveCommissions({ body: { ids } });
    expect(data.results.map((one: { success: boolean; error: { code: string } | null }) => one.error?.code)).toEqual([
      undefined,
      'transition_refused',
      'not_found',
    ]);
    const reason = 'Checked';
    for (const [operation, status] of [
      ['bulkHoldCommissions', 'on_hold'],
      ['bulkReleaseCommissions', 'pending'],
      ['bulkCancelCommissions', 'cancelled'],
    ] as const) {
      expect((await api[operation]({ body: { ids: [code(params.cid)], reason } })).data.succeeded).toBe(1);
      expect((await api.getCommission({ params })).data.status).toBe(status);
    }
    const { data: third } = await api.createCommission({ params: { id: partnerId }, body: bonus() });
    await pay(api, third.id);
    expect((await api.bulkClawbackCommissions({ body: { ids: [code(third.id)], reason } })).data.succeeded).toBe(1);
  });

  it('are made for all that match a filter, by a background job', async () => {
    const { api, partnerId } = await aCommission();
    await api.createCommission({ params: { id: partnerId }, body: bonus() });
    const period = new Date().toISOString().slice(0, 7);
    const filter = { partnerId, status: 'pending', period };
    const wrong = await api.bulkApproveCommissions({ body: { filter, expectedCount: 3 } });
    expect([wrong.status, wrong.body.code]).toEqual([409, 'count_changed']);
    const { status, data } = await api.bulkApproveCommissions({ body: { filter, expectedCount: 2 } });
    expect(status).toBe(202);
    await until(
      'the job ends',
      async () => (await api.getJob({ params: { id: data.jobId } })).data.status === 'completed',
    );
    expect((await api.listCommissions({ query: { partnerId, status: 'approved' } })).data).toHaveLength(2);
  });
});

describe('createCommission', () => {
  it('records a bonus or an adjustment once per externalId, also at the same time', async () => {
    const { api, partnerId } = await aCommission();
    const params = { id: partnerId };
    const body = bonus({ amount: -12.5, externalId: 'invoice-7' });
    const replies = await Promise.all([1, 2, 3].map(() => api.createCommission({ params, body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1);
    expect(replies[0]?.data).toMatchObject({ type: 'adjustment', amount: -12.5, reason: 'Launch event' });
    expect(await balance(api, partnerId)).toEqual([{ currency: 'EUR', amount: 37.5 }]);
    const { data } = await api.listCommissionStatements({ params });
    expect(data).toMatchObject([{ earned: 50, adjustments: -12.5, closingBalance: 37.5, commissionCount: 2 }]);
  });

  it('refuses the externalId of another partner, or with something else than before', async () => {
    const { api, partnerId } = await aCommission();
    const body = bonus({ amount: 30, externalId: 'invoice-8' });
    const send = async (fields: object, id = partnerId) => {
      const { status, body: reply } = await api.createCommission({ params: { id }, body: { ...body, ...fields } });
      return [status, reply.code, reply.errors?.[0]?.field];
    };
    expect(await send({})).toEqual([201, undefined, undefined]);
    const taken = [409, 'external_id_taken', 'externalId'];
    for (const fields of [{ amount: 31 }, { currency: 'USD' }, { type: 'adjustment' }])
      expect(await send(fields)).toEqual(taken);
    expect(await send({}, (await anApprovedPartner(api)).id)).toEqual(taken);
    expect(await send({ description: 'In other words' })).toEqual([200, undefined, undefined]);
  });

  it('records one commission of a type per opportunity, and applies a plan for manual commissions', async () => {
    const { api, partnerId, commission } = await aCommission({ opportunityId: '7' });
    const params = { id: partnerId };
    const again = await api.createCommission({ params, body: bonus({ opportunityId: '7' }) });
    expect([again.status, again.body.code]).toEqual([409, 'already_recorded']);
    await api.cancelCommission({ params: { cid: commission.id }, body: { reason: 'A mistake' } });
    expect((await api.createCommission({ params, body: bonus({ opportunityId: '7' }) })).status).toBe(201);
    const plan = { name: 'By hand', trigger: 'manual', type: 'percent', rate: 0, holdDays: 14 };
    const { data } = await api.createCommissionPlan({ body: { ...plan, cap: { amount: 60, currency: 'EUR' } } });
    const planned = await api.createCommission({ params, body: bonus({ planId: data.id }) });
    expect(planned.data).toMatchObject({ planId: data.id, planVersion: 1, holdUntil: expect.any(String) });
    const above = await api.createCommission({ params, body: bonus({ planId: data.id, amount: 61 }) });
    expect([above.status, above.body.errors?.[0]?.field]).toEqual([422, 'amount']);
  });

  it.each<[string, object]>([
    ['amount', { amount: 0 }],
    ['amount', { amount: 1.005 }],
    ['amount', { amount: -5, type: 'bonus' }],
    ['amount', { amount: 1e15 }],
    ['currency', { currency: 'EURO' }],
    ['description', { description: '' }],
    ['opportunityId', { opportunityId: missingId }],
    ['planId', { planId: missingId }],
  ])('refuses a wrong %s and records nothing', async (field, fields) => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const { status, body } = await api.createCommission({ params: { id }, body: bonus(fields) });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
    expect(await balance(api, id)).toEqual([]);
  });

  it('refuses partners who cannot earn', async () => {
    const { api, partnerId } = await aCommission();
    const params = { id: partnerId };
    for (const [status, amount, expected] of [
      ['pending', 5, 409],
      ['rejected', 5, 409],
      ['terminated', 5, 409],
      ['terminated', -5, 201],
      ['suspended', 5, 201],
    ] as const) {
      await service.sqlWithin(api.caller, 'UPDATE partner SET status = $1', [status]);
      const reply = await api.createCommission({ params, body: bonus({ amount }) });
      expect([status, amount, reply.status]).toEqual([status, amount, expected]);
    }
  });
});

describe('the ledger', () => {
  it('is only read and appended to', async () => {
    const { api } = await aCommission();
    for (const sql of ['UPDATE ledger_entry SET amount_minor = 1', 'DELETE FROM ledger_entry', 'TRUNCATE ledger_entry'])
      await expect(service.sqlWithin(api.caller, sql)).rejects.toThrow(/permission denied/);
  });

  it('has the commissions that the previous release recorded and cancelled, each once', async () => {
    const { api, partnerId, params } = await aCommission();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO commission (partner_id, amount_minor, currency, opportunity_id) VALUES ($1, 700, 'EUR', 1), ($1, 300, 'EUR', 2)`,
      [partnerId],
    );
    // A change of the status must not hide a row from the ledger.
    const { data: pending } = await api.listCommissions({ query: { opportunityId: '1' } });
    await api.approveCommission({ params: { cid: pending[0].id }, body: {} });
    const read = () => Promise.all([1, 2, 3].map(() => balance(api, partnerId)));
    expect(await read()).toEqual(Array(3).fill([{ currency: 'EUR', amount: 60 }]));
    // The previous release does not set the state of the ledger.
    await service.sqlWithin(
      api.caller,
      "UPDATE commission SET status = 'cancelled', cancelled_at = now() WHERE id = $1",
      [params.cid],
    );
    expect(await read()).toEqual(Array(3).fill([{ currency: 'EUR', amount: 10 }]));
    const { data } = await api.listCommissionStatements({ params: { id: partnerId } });
    expect(data).toMatchObject([{ earned: 10, closingBalance: 10, commissionCount: 2 }]);
    expect(await entries(api, partnerId)).toHaveLength(4);
  });
});
