import { actingUserId, type Caller } from '@tandem/caller';
import { reachOf } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Converter, roundedMajor } from '../exchange-rates/exchange-rates.ts';
import { monthsOf } from './periods.ts';

/** The holder of a quota: an owner, a team, or without both the tenant. */
export interface QuotaHolder {
  ownerId?: number | null | undefined;
  teamId?: number | null | undefined;
}

/**
 * The holder whose deals a forecast has: the owner and team that the request names. Without them, a caller who is narrowed
 * to own or team records gets the deals that they own, or those of their only team. A quota is set for exactly these; the
 * deals that a caller created for others, which they can read too, count for the others.
 */
export function summedHolder(caller: Caller, { ownerId, teamId }: QuotaHolder): QuotaHolder {
  if (ownerId !== undefined || teamId !== undefined) return { ownerId, teamId };
  const reach = reachOf(caller, 'opportunities:read');
  if (reach === 'all' || reach === 'none') return {};
  const [only, ...others] = reach.teamIds ?? [];
  if (only === undefined) return { ownerId: reach.userId };
  return others.length ? {} : { teamId: only };
}

/**
 * The holder whose quota is compared with sums. A caller who is narrowed to own or team records, or who cannot read quotas,
 * gets their own quota and those of their teams.
 * @param summed the owner and team that the sums are limited to
 * @returns undefined when there is no quota for exactly these sums, or the caller cannot read it
 */
export function comparedHolder(caller: Caller, summed: QuotaHolder): QuotaHolder | undefined {
  const { ownerId, teamId } = summed;
  // The deals of an owner in one team are a part of what the owner's quota is for.
  if (typeof ownerId === 'number' && typeof teamId === 'number') return undefined;
  const reach = reachOf(caller, 'opportunities:read');
  if (reach === 'none') return undefined;
  if (reach === 'all' && reachOf(caller, 'config:read') === 'all') return summed;
  const userId = actingUserId(caller);
  const teamIds = reach === 'all' ? (caller.teamIds ?? []) : (reach.teamIds ?? []);
  if (typeof ownerId === 'number') return ownerId === userId ? summed : undefined;
  return typeof teamId === 'number' && teamIds.includes(teamId) ? summed : undefined;
}

/** The quotas of some periods. */
export interface Quotas {
  /** The quota of a holder for a period, in major units of the converter's currency; null if none is set. */
  of(period: string, holder: QuotaHolder): number | null;
  /** The owners or teams that have a quota for a period, or for a month of it. */
  holders(period: string, key: 'ownerId' | 'teamId'): number[];
}

/**
 * Reads the quotas of some periods. A quarter without a quota has the sum of its months. A tenant without a quota of its
 * own has the sum of its teams, else the sum of its owners.
 */
export async function readQuotas(tx: Tx, periods: string[], converter: Converter): Promise<Quotas> {
  const names = new Set(periods.flatMap((name) => [name, ...monthsOf(name)]));
  const rows = await tx.quota.findMany({ where: { period: { in: [...names] } } });
  const amountOf = (some: typeof rows): number | null => {
    const amounts = some.map(({ amountMinor, currency }) => converter.convert(amountMinor, currency));
    return some.length && amounts.every((one) => one !== undefined)
      ? roundedMajor(
          amounts.reduce<number>((sum, one) => sum + (one as number), 0),
          converter.currency,
        )
      : null;
  };
  const within = (period: string, isHeld: (row: (typeof rows)[number]) => boolean) => {
    const held = rows.filter(isHeld);
    const whole = amountOf(held.filter((row) => row.period === period));
    return whole ?? amountOf(held.filter((row) => monthsOf(period).includes(row.period)));
  };
  const of = (period: string, { ownerId, teamId }: QuotaHolder) => {
    if (typeof ownerId === 'number') return within(period, (row) => row.ownerId === ownerId);
    if (typeof teamId === 'number') return within(period, (row) => row.teamId === teamId);
    const isOfTenant = (row: (typeof rows)[number]) => row.ownerId === null && row.teamId === null;
    return (
      within(period, isOfTenant) ??
      within(period, (row) => row.teamId !== null) ??
      within(period, (row) => row.ownerId !== null)
    );
  };
  const holders = (period: string, key: 'ownerId' | 'teamId') => {
    const periods = [period, ...monthsOf(period)];
    return [...new Set(rows.flatMap((row) => (periods.includes(row.period) ? (row[key] ?? []) : [])))];
  };
  return { of, holders };
}
