import type { Caller } from '@tandem/caller';
import { misfit, unknownId } from '@tandem/contract';
import { partnerTiers } from '@tandem/partner-contract';
import { asService, failField } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import type { Terms } from './plan.ts';

/** Fails unless the terms fit together and to the trigger. */
export function checkTerms(trigger: string, terms: Terms): void {
  if (terms.type === 'flat') checkFlat(terms);
  else checkPercent(trigger, terms);
  if (trigger === 'lead.qualified' && terms.maxMonths !== null)
    throw failField('maxMonths', 'Must be null in a plan for qualified leads');
  const { cap, activeFrom, activeTo } = terms;
  if (activeFrom && activeTo && activeFrom >= activeTo) throw failField('activeTo', 'Must be after activeFrom');
  checkMoney('amount', terms.amount, terms.currency);
  if (cap) checkMoney('cap.amount', cap.amount, cap.currency);
  checkUnique('levels', 'level', terms.levels);
  checkUnique('pipelineRates', 'pipelineId', terms.pipelineRates);
  const sum = highestRate(terms) + terms.levels.reduce((total, { rate }) => total + rate, 0);
  // Rates have two decimals; the sum of fractions can be off by less than one of them.
  if (Math.round(sum * 100) > 10_000)
    throw failField('levels', 'The highest rate and those of all levels must be at most 100 together');
}

function checkFlat({ amount, currency, rate, tierRates, pipelineRates }: Terms): void {
  if (amount === null) throw failField('amount', 'Is required in a flat plan');
  if (currency === null) throw failField('currency', 'Is required in a flat plan');
  if (rate !== null) throw failField('rate', 'Must be null in a flat plan');
  if (Object.keys(tierRates).length) throw failField('tierRates', 'Must be empty in a flat plan');
  if (pipelineRates.length) throw failField('pipelineRates', 'Must be empty in a flat plan');
}

function checkPercent(trigger: string, { amount, currency, rate, tierRates }: Terms): void {
  if (trigger === 'lead.qualified') throw failField('type', 'Must be flat in a plan for qualified leads');
  if (amount !== null) throw failField('amount', 'Must be null in a percent plan');
  if (currency !== null) throw failField('currency', 'Must be null in a percent plan');
  if (rate === null && partnerTiers.some((tier) => tierRates[tier] === undefined))
    throw failField('rate', 'Is required unless tierRates has all tiers');
}

function checkMoney(field: string, amount: number | null, currency: string | null): void {
  const wrong = amount !== null && currency !== null && misfit(amount, currency);
  if (wrong) throw failField(field, wrong);
}

function checkUnique<Key extends string>(field: string, key: Key, items: readonly Record<Key, number>[]): void {
  const seen = new Set<number>();
  for (const [index, item] of items.entries()) {
    if (seen.has(item[key])) throw failField(`${field}.${index}.${key}`, 'Must be unique in the list');
    seen.add(item[key]);
  }
}

/** Levels of a flat plan are shares of its amount, which is paid to the first level in full. */
function highestRate({ rate, tierRates, pipelineRates }: Terms): number {
  const rates = [rate, ...Object.values(tierRates), ...pipelineRates.map((one) => one.rate)];
  return Math.max(0, ...rates.flatMap((one) => one ?? []));
}

/** Fails unless the pipelines exist in crm. */
export async function checkPipelines(
  peers: Peers,
  caller: Caller,
  pipelineRates: readonly { pipelineId: number }[] | undefined,
): Promise<void> {
  if (!pipelineRates?.length) return;
  const ids = [...new Set(pipelineRates.map(({ pipelineId }) => pipelineId))];
  const found = await peers.crm.filterPipelines({ body: { ids }, as: asService(caller) });
  const index = pipelineRates.findIndex(({ pipelineId }) => !found.ids.includes(pipelineId));
  if (index >= 0) throw failField(`pipelineRates.${index}.pipelineId`, unknownId('pipeline'));
}
