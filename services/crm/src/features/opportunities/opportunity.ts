import type { Caller } from '@tandem/caller';
import { actingUserId } from '@tandem/caller';
import { fromMinor, misfit, toMinor } from '@tandem/contract';
import { Opportunity, opportunityStates } from '@tandem/crm-contract';
import { fail, failField, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Opportunity as OpportunityRow, StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type OpportunityRecord = z.output<typeof Opportunity>;

const columns = Opportunity.pick({ status: true, forecastCategory: true }).extend({
  // The user is stored as a number.
  outcome: Opportunity.shape.outcome.unwrap().extend({ byUserId: z.int().nullable() }).nullable(),
});
const dayMs = 86_400_000;
// Allows for clock differences between clients and the server.
const clockToleranceMs = 60_000;

/** Converts a row to the contract's `Opportunity`. */
export function asOpportunity(row: OpportunityRow): OpportunityRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    value: fromMinor(row.valueMinor, row.currency),
    allowedTransitions: opportunityStates.next(checked.status),
    daysInStage: Math.max(0, Math.floor((Date.now() - row.stageEnteredAt.getTime()) / dayMs)),
  };
}

/**
 * The columns of an amount.
 * @throws 422 naming `value` when it has more decimals than the currency
 */
export function amountColumns(value: number, currency: string): { value: number; valueMinor: number } {
  const error = misfit(value, currency);
  if (error) throw failField('value', error);
  return { value, valueMinor: toMinor(value, currency) };
}

/** Locks the opportunity, so that checks on it still hold when it is written. */
export async function lockOpportunity(tx: Tx, id: number): Promise<OpportunityRecord> {
  const row = await tx.opportunity.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asOpportunity(row);
}

/** The result of a deal, from the request. */
interface CloseInput {
  result: 'won' | 'lost';
  value?: number | undefined;
  closedAt?: Date | undefined;
  reasonCode?: string | null | undefined;
  note?: string | null | undefined;
  competitor?: string | null | undefined;
}

/**
 * Closes a locked opportunity and moves it to the first stage with that result.
 * @throws 409 when it is already closed, 422 naming `closedAt` when that is before its creation or in the future
 */
export async function closeOpportunity(
  tx: Tx,
  opportunity: OpportunityRecord,
  input: CloseInput,
  caller: Caller,
): Promise<OpportunityRecord> {
  const { id, status, currency } = opportunity;
  const { result, value = opportunity.value, closedAt = new Date() } = input;
  if (status !== 'open') throw fail('opportunity_closed', [transitionError(status, opportunityStates.next(status))]);
  checkClosedAt(closedAt, opportunity.createdAt);
  const stage = await findClosedStage(tx, opportunity, result);
  const [row] = await tx.opportunity.updateManyAndReturn({
    where: { id },
    data: {
      ...amountColumns(value, currency),
      status: result,
      stage: stage.code,
      stageId: stage.id,
      stageEnteredAt: new Date(),
      closedAt,
      probability: result === 'won' ? 100 : 0,
      forecastCategory: result === 'won' ? 'closed' : 'omitted',
      outcome: {
        result,
        reasonCode: input.reasonCode ?? null,
        note: input.note ?? null,
        competitor: input.competitor ?? null,
        byUserId: actingUserId(caller) ?? null,
      },
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  return asOpportunity(row);
}

/** Finds the first stage for a result in the pipeline of the opportunity. */
async function findClosedStage(
  tx: Tx,
  { pipelineId }: OpportunityRecord,
  result: CloseInput['result'],
): Promise<StatusDefinition> {
  const stage = await tx.statusDefinition.findFirst({
    where: { pipelineId, isClosed: true, isWon: result === 'won' },
    orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
  });
  if (stage) return stage;
  const message = `No ${result} stage is defined; create one with POST /v1/config/statuses`;
  throw fail('conflict', [{ field: 'stage', message }]);
}

function checkClosedAt(closedAt: Date, createdAt: Date): void {
  if (closedAt.getTime() > Date.now() + clockToleranceMs) throw failField('closedAt', 'Must not be in the future');
  if (closedAt.getTime() < createdAt.getTime() - clockToleranceMs)
    throw failField('closedAt', 'Must not be before the opportunity was created');
}

/** Changes of a stage transition for the audit log. */
export function stageChanges(before: OpportunityRecord, after: OpportunityRecord) {
  const fields = ['status', 'stage', 'value', 'probability', 'forecastCategory', 'closedAt', 'outcome'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}
