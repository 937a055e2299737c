import type { Tx } from '../../handler.ts';
import { type StatusRecord, statusesOf } from './status.ts';

/**
 * Why a locked status is needed: it is the default, or the last one of its kind.
 * @returns undefined when it can be removed
 */
export async function whyNeeded(tx: Tx, status: StatusRecord): Promise<string | undefined> {
  if (status.isDefault) return 'Is the default; make another one the default first';
  return isLastOfKind(tx, status);
}

/**
 * Whether a status is the last open, won or lost stage of its pipeline, or the last lead status of its category, which
 * moves, wins, losses and conversions need.
 */
export async function isLastOfKind(tx: Tx, status: StatusRecord): Promise<string | undefined> {
  const alike = (await statusesOf(tx, status)).filter((one) => kindOf(one) === kindOf(status));
  if (alike.length > 1) return undefined;
  const what =
    status.entityType === 'lead' ? `lead status of the category ${status.category}` : `${kindOf(status)} stage`;
  return `Is the last ${what}; create another one first`;
}

/** The kind of a status: open, won or lost for a stage, the category for a lead status. */
export function kindOf({ entityType, category, isClosed, isWon }: StatusRecord): string {
  if (entityType === 'lead') return category ?? '';
  if (!isClosed) return 'open';
  return isWon ? 'won' : 'lost';
}
