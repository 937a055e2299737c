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
 * @returns whether it is closed, and what could not be taken over or why crm refuses it
 */
export async function closeDeal(
  context: TargetContext,
  deal: Found,
  record: RecordOf<'opportunity'>,
): Promise<{ done: boolean; notes: FieldError[] }> {
  const stageId = await stageOf(context, record.fields);
  try {
    return { done: true, notes: await close(context, deal, { record, stageId }) };
  } catch (error) {
    const note = noteOf('status', error);
    if (stageId === undefined) return { done: false, notes: [note] };
    // The mapped stage may be one for other outcomes, or of another pipeline.
    return close(context, deal, { record, stageId: undefined }).then(
      (notes) => ({ done: true, notes: [noteOf('stage', error), ...notes] }),
      (again: unknown) => ({ done: false, notes: [noteOf('status', again)] }),
    );
  }
}

/**
 * Closes the deal.
 * @returns what could not be taken over
 */
async function close(
  context: TargetContext,
  { id, createdAt }: Found,
  { record, stageId }: { record: RecordOf<'opportunity'>; stageId: number | undefined },
): Promise<FieldError[]> {
  const { crm, as, key } = context;
  const { outcome, version, fields } = record;
  const params = { id };
  // A deal can be won, reopened and won again; the version tells these apart.
  const idempotencyKey = `${key}:${outcome}:${version}:${stageId ?? ''}`.slice(0, 255);
  const { closedAt, notes } = closedAtOf(fields, createdAt);
  const place = { ...(closedAt && { closedAt }), ...(stageId !== undefined && { stageId }) };
  if (outcome === 'won') {
    await crm.winOpportunity({ params, body: place, as, idempotencyKey });
    return notes;
  }
  const reason = await lossReason(context, fields['lostReasonCode']);
  const note = fields['lostNote'];
  const body = {
    ...place,
    reasonCode: reason.code,
    ...(typeof note === 'string' && { note: note.slice(0, noteMax) }),
  };
  await crm.loseOpportunity({ params, body, as, idempotencyKey });
  return [...notes, ...reason.notes];
}

/** The time of closing, if crm accepts it: a deal cannot be closed before it was created here. */
function closedAtOf(fields: Record<string, unknown>, createdAt: Date): { closedAt?: Date; notes: FieldError[] } {
  const time = timeOf(fields['closedAt']);
  if (time === undefined) return { notes: [] };
  const closedAt = new Date(time);
  const is = (what: string) => ({ field: 'closedAt', message: `${time} is ${what}; the time of the import is stored` });
  if (closedAt < createdAt) return { notes: [is('before the creation of the deal here')] };
  return closedAt.getTime() > Date.now() ? { notes: [is('in the future')] } : { closedAt, notes: [] };
}

/** The reason with this code, or else the first one, because losing a deal needs a reason. */
async function lossReason({ crm, as }: TargetContext, code: unknown): Promise<{ code: string; notes: FieldError[] }> {
  const query = { outcome: 'lost' as const, active: true, page: 1, limit: reasonsMax, sort: 'createdAt' };
  const reasons = await crm.listWinLossReasons({ query, as: asReader(as) });
  const named = reasons.find((one) => one.code === code);
  if (named) return { code: named.code, notes: [] };
  const [first] = reasons;
  if (!first) throw new ServiceCallError('loseOpportunity', 422, 'no_loss_reason');
  const message = `No active reason for lost deals has this code; ${first.code} is stored`;
  return { code: first.code, notes: code === undefined ? [] : [{ field: 'lostReasonCode', message }] };
}
