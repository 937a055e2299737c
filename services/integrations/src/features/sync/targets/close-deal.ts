import { ServiceCallError } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import type { Opportunity } from '@tandem/crm-contract';
import type { z } from 'zod';
import { timeOf } from '../../../connectors/values.ts';
import type { RecordOf, TargetContext } from '../target.ts';
import { asReader } from '../writing.ts';
import { noteOf, stageOf } from './stage-of-deal.ts';

type Found = Pick<z.output<typeof Opportunity>, 'id' | 'createdAt'>;

const reasonsMax = 100;
const noteMax = 2_000;

/**
 * Wins or loses an open deal as the connected system says.
 * @returns why crm refuses it; the deal stays open then
 */
export async function closeDeal(
  context: TargetContext,
  deal: Found,
  record: RecordOf<'opportunity'>,
): Promise<FieldError[]> {
  const stageId = await stageOf(context, record.fields);
  try {
    await close(context, deal, { record, stageId });
    return [];
  } catch (error) {
    const note = noteOf('status', error);
    if (stageId === undefined) return [note];
    // The mapped stage may be one for other outcomes, or of another pipeline.
    return close(context, deal, { record, stageId: undefined }).then(
      () => [noteOf('stage', error)],
      (again: unknown) => [noteOf('status', again)],
    );
  }
}

async function close(
  context: TargetContext,
  { id, createdAt }: Found,
  { record, stageId }: { record: RecordOf<'opportunity'>; stageId: number | undefined },
): Promise<void> {
  const { crm, as, key } = context;
  const { outcome, version, fields } = record;
  const params = { id };
  // A deal can be won, reopened and won again; the version tells these apart.
  const idempotencyKey = `${key}:${outcome}:${version}:${stageId ?? ''}`.slice(0, 255);
  const place = { ...closedAtOf(fields, createdAt), ...(stageId !== undefined && { stageId }) };
  if (outcome === 'won') {
    await crm.winOpportunity({ params, body: place, as, idempotencyKey });
    return;
  }
  const reasonCode = await lossReason(context, fields['lostReasonCode']);
  const note = fields['lostNote'];
  const body = { ...place, reasonCode, ...(typeof note === 'string' && { note: note.slice(0, noteMax) }) };
  await crm.loseOpportunity({ params, body, as, idempotencyKey });
}

/** The time of closing, if crm accepts it: a deal cannot be closed before it was created here. */
function closedAtOf(fields: Record<string, unknown>, createdAt: Date): { closedAt?: Date } {
  const time = timeOf(fields['closedAt']);
  const closedAt = time === undefined ? undefined : new Date(time);
  return closedAt && closedAt >= createdAt && closedAt.getTime() <= Date.now() ? { closedAt } : {};
}

/** The reason with this code, or else the first one, because losing a deal needs a reason. */
async function lossReason({ crm, as }: TargetContext, code: unknown): Promise<string> {
  const query = { outcome: 'lost' as const, active: true, page: 1, limit: reasonsMax, sort: 'createdAt' };
  const reasons = await crm.listWinLossReasons({ query, as: asReader(as) });
  const reason = reasons.find((one) => one.code === code) ?? reasons[0];
  if (!reason) throw new ServiceCallError('loseOpportunity', 422, 'no_loss_reason');
  return reason.code;
}
