import { type Attempt, nextAttempt } from '@tandem/mail';
import { nextMidnight } from '@tandem/time-zones';
import { openFrom } from '../timing.ts';
import type { Outgoing } from './channel.ts';
import type { MessageEnd, MessageRow } from './message-rows.ts';
import type { Outcome } from './outcome.ts';

// A message that cannot be sent within this time after its first attempt fails.
const sendHours = 72;
// Attempts whose result could not be stored, by message: the next run stores the result instead of calling it uncertain.
const unrecorded = new Map<number, Attempt>();
const unrecordedMax = 10_000;

/** Remembers an attempt until its result has been stored. */
export function remember(messageId: number, attempt: Attempt): void {
  if (unrecorded.size < unrecordedMax) unrecorded.set(messageId, attempt);
}

/** Forgets attempts whose result has been stored. */
export function recorded(messageIds: Iterable<number>): void {
  for (const id of messageIds) unrecorded.delete(id);
}

/** The outcome of a message that an earlier run claimed or ended; undefined for a new or queued one. */
export function earlierOutcome(one: Outgoing, row: MessageRow | undefined): Outcome | undefined {
  if (!row || row.status === 'queued') return undefined;
  if (row.status !== 'sending') {
    // The execution has been at this node before, in a cycle or before a retry.
    return { is: 'skipped', input: {}, result: { messageId: row.id }, skipReason: 'already_sent' };
  }
  const attempt = unrecorded.get(row.id);
  return attempt
    ? outcomeOf(one, row, attempt, {})
    : uncertain(one, row, 'The process that sent the message ended before its result was stored');
}

export function outcomeOf(
  one: Outgoing,
  row: MessageRow,
  attempt: Attempt,
  input: object,
  subject: string | null = null,
): Outcome {
  if (attempt.outcome === 'sent') return sent(one, row, { input, subject });
  const { error } = attempt;
  if (attempt.outcome === 'postponed' && attempt.isUncertain) return uncertain(one, row, error);
  if (attempt.outcome === 'postponed') {
    const notAfter = new Date(row.createdAt.getTime() + sendHours * 3_600_000);
    const until = nextAttempt(row.attempts, notAfter);
    const message = endOf(one, { status: 'queued', subject, error });
    if (until) return { is: 'postponed', until, reason: one.channel.postponedBy, message };
  }
  // The next messages may still reach the lead, for example at a corrected address.
  return {
    is: 'skipped',
    input,
    result: { messageId: row.id },
    skipReason: attempt.outcome === 'refused' ? 'refused' : 'not_sent_in_time',
    message: endOf(one, { status: 'failed', subject, error }),
  };
}

export function sent(
  one: Outgoing,
  row: MessageRow,
  { input, subject, ...result }: { input: object; subject: string | null; simulated?: true },
): Outcome {
  const message = endOf(one, { status: 'sent', subject });
  return { is: 'done', input, result: { messageId: row.id, ...result }, message };
}

/** The message may have been sent: it is flagged, and not sent again. */
function uncertain(one: Outgoing, row: MessageRow, error: string): Outcome {
  const message = endOf(one, { status: 'sent', uncertain: true, error });
  return { is: 'uncertain', input: {}, result: { messageId: row.id }, message };
}

export function skipped(one: Outgoing, skipReason: string, input: object = {}): Outcome {
  return { is: 'skipped', input, result: {}, skipReason, message: endOf(one, { status: 'skipped', skipReason }) };
}

export function postponed(until: Date, reason: string): Outcome {
  return { is: 'postponed', until, reason };
}

/** The first moment from a time on at which the workflow sends. */
export function openAt({ facts: { timezone }, due: { settings, campaignWindow } }: Outgoing, from: Date): Date {
  return openFrom(from, timezone, [settings, ...(campaignWindow ? [campaignWindow] : [])]);
}

export function tomorrow(one: Outgoing, reason: string): { is: 'postponed'; until: Date; reason: string } {
  const { now, timezone } = one.facts;
  return { is: 'postponed', until: openAt(one, nextMidnight(now, timezone)), reason };
}

/** The message of an execution at its node. */
export function placeOf({ due, node, channel }: Outgoing) {
  const { executionId, workflowId, campaignId, leadId } = due;
  return { executionId, workflowId, campaignId, leadId, nodeId: node.nodeId, channel: channel.name };
}

export function endOf(one: Outgoing, fields: Partial<MessageEnd> & Pick<MessageEnd, 'status'>): MessageEnd {
  const defaults = { subject: null, uncertain: false, skipReason: null, error: null };
  return { ...placeOf(one), recipient: one.channel.addressOf(one.facts.lead), ...defaults, ...fields };
}
