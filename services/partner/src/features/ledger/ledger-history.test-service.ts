import { until } from '@tandem/testing';
import { type Api, dealWon, publish, type Service } from '../../partner.test-service.ts';
import { aPayee, aPayout, becomes, ibans } from '../payouts/payouts.test-service.ts';

export const currencies = ['EUR', 'USD'] as const;

/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A deal, and its version when it was last won or reopened. */
export interface Deal {
  opportunityId: string;
  leadId: string;
  value: number;
  currency: string;
  version: number;
  isWon: boolean;
}

interface Instances {
  first: Service;
  second: Service;
}

let records = 0;
const another = () => `${++records}`;

/** A tenant with four partners and a plan with two levels, to which random things happen. */
export async function aHistory({ first, second }: Instances, seed: number) {
  const random = randomOf(seed);
  const upTo = (max: number) => 1 + Math.floor(random() * max);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const api = first.as();
  const other = second.as(api.caller);
  // The last partner has no account until a payment to it fails.
  const partners: Awaited<ReturnType<typeof aPayee>>[] = [];
  for (const iban of [...ibans, undefined]) partners.push(await aPayee(first, api, iban));
  const levels = [{ level: 2, rate: 4 }];
  const terms = { name: `Plan ${seed}`, trigger: 'opportunity.won', type: 'percent', rate: 10, levels };
  const { data: plan } = await api.createCommissionPlan({ body: { ...terms, isDefault: true } });
  const deals: Deal[] = [];
  const partner = () => pick(partners).id;
  const instance = () => pick([api, other]);

  const publishDeal = async (deal: Deal, isRepeated: boolean) => {
    const { opportunityId, version, isWon } = deal;
    const { record, ...won } = dealWon(deal);
    const event = isWon
      ? { ...won, record: { ...record, version } }
      : {
          name: 'opportunity.reopened',
          data: { opportunityId, result: 'won', reason: null },
          record: { ...record, version, status: 'open' },
        };
    await publish(first, api, event);
    if (isRepeated) await publish(second, api, event);
    await until('the event is handled', async () => {
      const sql = 'SELECT version FROM deal WHERE opportunity_id = $1';
      const [row] = await first.sqlWithin(api.caller, sql, [opportunityId]);
      return row?.['version'] === version;
    });
    return {};
  };
  const change = async (deal: Deal) => {
    deal.isWon = !deal.isWon;
    deal.version++;
    return publishDeal(deal, random() < 0.3);
  };
  const commission = async (...statuses: string[]) => {
    const rows = await first.sqlWithin(
      api.caller,
      'SELECT id::text FROM commission WHERE status = ANY($1) ORDER BY id',
      [statuses],
    );
    return rows.length ? { cid: pick(rows)['id'] as string } : undefined;
  };
  const payout = async (...statuses: string[]) => {
    const { data } = await api.listPayouts({ query: { sort: 'createdAt', limit: '100' } });
    // Those without a payment cannot go on.
    const found = (data as { id: string; status: string; itemCount: number }[]).filter(
      ({ status, itemCount }) => statuses.includes(status) && itemCount,
    );
    return found.length ? { id: pick(found).id } : undefined;
  };
  const reason = 'Random';

  /** What can happen, with its weight. Resolves to the replies, or to undefined without a record to change. */
  const actions: Record<string, [number, () => Promise<unknown>]> = {
    win: [
      6,
      async () => {
        const leadId = another();
        const referral = await api.createReferral({ body: { partnerId: partner(), leadId } });
        if (referral.status !== 201) return referral;
        const value = upTo(100_000) / 100;
        const deal = { opportunityId: another(), leadId, value, currency: pick(currencies), version: 2, isWon: true };
        deals.push(deal);
        return publishDeal(deal, random() < 0.3);
      },
    ],
    reopen: [
      3,
      async () => {
        const won = deals.filter(({ isWon }) => isWon);
        return won.length ? change(pick(won)) : undefined;
      },
    ],
    winAgain: [
      3,
      async () => {
        const open = deals.filter(({ isWon }) => !isWon);
        return open.length ? change(pick(open)) : undefined;
      },
    ],
    approve: [12, () => onCommission(['pending'], (at, params) => at.approveCommission({ params, body: {} }))],
    hold: [
      4,
      () => onCommission(['approved', 'pending'], (at, params) => at.holdCommission({ params, body: { reason } })),
    ],
    release: [4, () => onCommission(['on_hold'], (at, params) => at.releaseCommission({ params }))],
    cancel: [
      1,
      () =>
        onCommission(['pending', 'approved', 'on_hold'], (at, params) =>
          at.cancelCommission({ params, body: { reason } }),
        ),
    ],
    clawBack: [
      3,
      () =>
        onCommission(['paid'], async (at, params) => {
          const { data } = await at.getCommission({ params });
          const part = random() < 0.5 && data.amount > 1 ? { amount: 1 } : {};
          return at.clawbackCommission({ params, body: { reason, ...part } });
        }),
    ],
    byHand: [
      4,
      () => {
        const amount = (random() < 0.3 ? -1 : 1) * (upTo(20_000) / 100);
        const body = { amount, currency: pick(currencies), description: reason };
        return instance().createCommission({ params: { id: partner() }, body });
      },
    ],
    move: [
      2,
      () => {
        const body = { parentPartnerId: random() < 0.2 ? null : partner() };
        return instance().setPartnerParent({ params: { id: partner() }, body });
      },
    ],
    changePlan: [
      2,
      () =>
        instance().updateCommissionPlan({
          params: { id: plan.id },
          body: { rate: upTo(20), autoApprove: random() < 0.5 },
        }),
    ],
    suspend: [1, () => instance().suspendPartner({ params: { id: partner() }, body: { reason } })],
    reactivate: [3, () => instance().reactivatePartner({ params: { id: partner() } })],
    createPayout: [
      4,
      () => {
        const body = { periodEnd: new Date().toISOString(), currency: pick(currencies), minAmount: pick([0, 0, 50]) };
        return Promise.all([api, other].slice(0, upTo(2)).map((at) => at.createPayout({ body })));
      },
    ],
    approvePayout: [6, () => onPayout(['draft'], (at, params) => at.approvePayout({ params }))],
    processPayout: [
      8,
      () => onPayout(['approved'], (at, params) => at.processPayout({ params, body: { method: 'file' } })),
    ],
    markPaid: [
      6,
      () =>
        onPayout(['processing'], async (at, params) => {
          const { data } = await api.listPayoutItems({ params, query: { status: 'pending' } });
          const failed = data
            .filter(() => random() < 0.3)
            .map(({ id }: { id: string }) => ({ itemId: id, reason: 'Account closed' }));
          return at.markPayoutPaid({ params, body: { failed } });
        }),
    ],
    retry: [
      3,
      async () => {
        await partners.at(-1)?.setAccount(ibans[0]);
        return onPayout(['failed'], (at, params) => at.retryPayout({ params }));
      },
    ],
    cancelPayout: [1, () => onPayout(['draft', 'approved'], (at, params) => at.cancelPayout({ params }))],
  };
  const onCommission = async (statuses: string[], act: (at: Api, params: { cid: string }) => Promise<unknown>) => {
    const params = await commission(...statuses);
    return params && act(instance(), params);
  };
  const onPayout = async (statuses: string[], act: (at: Api, params: { id: string }) => Promise<unknown>) => {
    const params = await payout(...statuses);
    return params && act(instance(), params);
  };
  const weighted = Object.entries(actions).flatMap(([name, [weight]]) => Array<string>(weight).fill(name));

  /** Does something at random; resolves to its name and the statuses of the replies. */
  const step = async (): Promise<{ name: string; statuses: number[] }> => {
    const name = pick(weighted);
    const result = await actions[name]?.[1]();
    if (!result) return step();
    const replies = [result].flat() as { status?: number }[];
    return { name, statuses: replies.flatMap(({ status }) => status ?? []) };
  };
  const markPaid = async (at: Api, id: string) => {
    await at.markPayoutPaid({ params: { id }, body: {} });
    await becomes(at, id, 'completed');
  };
  /** Ends the payouts that are processed, and pays all partners by two payouts in each currency that are created at once. */
  const payAll = async () => {
    for (const { id, setAccount } of partners) {
      await setAccount(ibans[0]);
      await api.reactivatePartner({ params: { id } });
    }
    await jobsEnd(first, api);
    const { data: failed } = await api.listPayouts({ query: { status: 'failed' } });
    for (const { id } of failed) await api.retryPayout({ params: { id } });
    const { data: processing } = await api.listPayouts({ query: { status: 'processing' } });
    for (const { id } of processing) await markPaid(api, id);
    for (const { earn } of partners) await earn(1_000);
    for (const currency of currencies)
      await Promise.all(
        [api, other].map(async (at) => {
          const { id, itemCount } = await aPayout(at, { currency });
          if (!itemCount) return;
          await at.approvePayout({ params: { id } });
          await at.processPayout({ params: { id }, body: { method: 'file' } });
          await markPaid(at, id);
        }),
      );
  };
  return { api, partners, deals, step, payAll };
}

/** Waits until no job of the tenant is due. */
export const jobsEnd = (service: Service, { caller }: Api) =>
  until('the jobs end', async () => {
    const jobs = await service.sqlWithin(caller, "SELECT FROM platform.job WHERE due_at < now() + interval '1 minute'");
    return jobs.length === 0;
  });
