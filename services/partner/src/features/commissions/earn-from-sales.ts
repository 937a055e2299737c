import type { Schedule } from '@tandem/events';
import { planLimits } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type AppliedPlan, readAppliedPlans } from '../commission-plans/applied-plans.ts';
import type { Plan } from '../commission-plans/plan.ts';
import { type Ancestor, uplinesAt } from '../hierarchy/uplines.ts';
import { approveDueJob } from './approve-due.job.ts';
import { asCommission, insertCommissions } from './commission.ts';
import { commissionOf, type Earner, type Sale } from './commission-of-sale.ts';
import { type Earning, emitEarned } from './emit-earned.ts';

/** The partner who referred the lead of a sale. */
export interface Referrer {
  partnerId: number;
  tier: Earner['tier'];
  /** The plan of this partner. */
  planId: number | null;
  referredAt: Date;
  /** How often the lead had got another partner. */
  moves: number;
}

export interface ReferredSale {
  sale: Sale;
  referrer: Referrer;
}

/** Records the commissions of sales of one trigger, each once. Returns how many are new. */
export async function earnFromSales(
  { tx, emit, schedule }: Earning & { schedule: Schedule },
  trigger: Plan['trigger'],
  sales: readonly ReferredSale[],
): Promise<number> {
  if (!sales.length) return 0;
  const planOf = await readAppliedPlans(
    tx,
    trigger,
    sales.map(({ referrer }) => referrer.planId),
  );
  const planned = sales.flatMap((one) => {
    const applied = planOf(one.referrer.planId);
    return applied && isActive(applied.plan, one.sale.at) ? [{ ...one, applied }] : [];
  });
  const counted = await withoutEnded(tx, planned);
  const earnersOf = await readEarners(tx, counted);
  const data = counted.flatMap((one) =>
    earnersOf(one).flatMap((earner) => {
      const commission = commissionOf(one.sale, earner, one.applied);
      return commission ? [{ ...commission, attribution: one.referrer.moves }] : [];
    }),
  );
  const rows = await insertCommissions(tx, data);
  emitEarned(emit, rows.map(asCommission));
  await scheduleApprovals(schedule, counted, rows);
  return rows.length;
}

/** Schedules the approvals of commissions whose plans approve by themselves, together for those of one time. */
async function scheduleApprovals(schedule: Schedule, planned: PlannedSale[], rows: CommissionRow[]): Promise<void> {
  const approving = new Set(planned.flatMap(({ applied: { plan } }) => (plan.terms.autoApprove ? plan.id : [])));
  const due = rows.filter(({ status, planId }) => status === 'pending' && planId !== null && approving.has(planId));
  for (const [at, together] of Map.groupBy(due, ({ holdUntil }) => holdUntil?.getTime()))
    await schedule(
      approveDueJob,
      together.map(({ id: commissionId }) => ({ commissionId })),
      at === undefined ? undefined : new Date(at),
    );
}

interface PlannedSale extends ReferredSale {
  applied: AppliedPlan;
}

function isActive({ terms: { activeFrom, activeTo } }: Plan, at: Date): boolean {
  return (!activeFrom || activeFrom <= at) && (!activeTo || at < activeTo);
}

/** Leaves out deals of leads whose first deal was won longer ago than the plan pays for. */
async function withoutEnded(tx: Tx, planned: PlannedSale[]): Promise<PlannedSale[]> {
  const limited = planned.filter(({ applied }) => applied.plan.terms.maxMonths !== null);
  if (!limited.length) return planned;
  const leadIds = limited.map(({ sale }) => sale.leadId);
  const rows = await tx.sql<{ leadId: number; first: Date }>`
    SELECT lead_id AS "leadId", min(won_at) AS first FROM deal
    WHERE lead_id = ANY(${leadIds}::bigint[]) AND won_at IS NOT NULL GROUP BY lead_id`;
  const firsts = new Map(rows.map(({ leadId, first }) => [leadId, first]));
  return planned.filter(({ sale, applied: { plan } }) => {
    const { maxMonths } = plan.terms;
    const first = firsts.get(sale.leadId);
    return maxMonths === null || !first || sale.at < addMonths(first, maxMonths);
  });
}

/** The same day and time some months later; the last day of a shorter month. */
function addMonths(at: Date, months: number): Date {
  const later = new Date(at);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const days = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(at.getUTCDate(), days));
  return later;
}

const levelsMax = planLimits.levels - 1;

/** Finds the earners of each sale: the referrer, and the approved partners above who have enough sales of their own. */
async function readEarners(tx: Tx, planned: PlannedSale[]): Promise<(sale: PlannedSale) => Earner[]> {
  const withLevels = planned.filter(({ applied }) => applied.plan.terms.levels.length);
  const asked = withLevels.map(({ sale, referrer }) => ({ partnerId: referrer.partnerId, at: sale.at }));
  const chains = await uplinesAt(tx, asked, levelsMax);
  const chainOf = new Map(withLevels.map((one, index) => [one, chains[index] ?? []]));
  const salesOf = await countOwnSales(tx, chainOf);
  return (one) => {
    const { partnerId, tier } = one.referrer;
    const above = one.applied.plan.terms.levels.flatMap(({ level, minOwnSales }): Earner[] => {
      const upline = chainOf.get(one)?.find((ancestor) => ancestor.level === level);
      const earns = upline?.status === 'approved' && (minOwnSales === 0 || salesOf(upline.id) >= minOwnSales);
      return earns ? [{ partnerId: upline.id, level, tier: upline.tier }] : [];
    });
    return [{ partnerId, tier, level: 1 }, ...above];
  };
}

/** Counts the won deals of partners above, if a plan requires some. */
async function countOwnSales(
  tx: Tx,
  chainOf: ReadonlyMap<PlannedSale, Ancestor[]>,
): Promise<(partnerId: number) => number> {
  const ids = [...chainOf].flatMap(([{ applied }, chain]) =>
    applied.plan.terms.levels.some(({ minOwnSales }) => minOwnSales > 0) ? chain.map(({ id }) => id) : [],
  );
  if (!ids.length) return () => 0;
  const rows = await tx.sql<{ partnerId: number; sales: number }>`
    SELECT partner_id AS "partnerId", count(*) AS sales FROM deal
    WHERE partner_id = ANY(${[...new Set(ids)]}::bigint[]) AND won_at IS NOT NULL GROUP BY partner_id`;
  const counts = new Map(rows.map(({ partnerId, sales }) => [partnerId, sales]));
  return (partnerId) => counts.get(partnerId) ?? 0;
}
