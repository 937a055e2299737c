import { timestamp } from '@tandem/contract';
import type { MessageRef } from '@tandem/mail';
import { failField } from '@tandem/service';

/** The report of a provider about an e-mail. */
export interface MailReport {
  is: 'delivered' | 'bounced' | 'softly_bounced' | 'complained' | 'replied' | 'auto_replied';
  message: MessageRef;
  /** The address, if the report can be trusted to name it; else the one of the stored message counts. */
  recipient: string | null;
  at: Date;
  /** The id of the report, which is the same when it is repeated. */
  sourceId: string;
}

const Time = timestamp();

/** A time that a provider names, as a text or in seconds since 1970; now if it is in the future, undefined if it is none. */
export function findTime(value: string | number): Date | undefined {
  const at = new Date(typeof value === 'number' ? value * 1_000 : value);
  const { data } = Time.safeParse(Number.isNaN(at.getTime()) ? '' : at.toISOString());
  return data && new Date(Math.min(data.getTime(), Date.now()));
}

/**
 * The time that a provider names; now if it is in the future.
 * @throws ApiError 422 if it is not a time
 */
export function timeOf(value: string): Date {
  const at = findTime(value);
  if (!at) throw failField('timestamp', 'Must be a time between the years 1 and 9999');
  return at;
}

/** Whether the time that a provider signed is close enough to now; false if it is not a time. */
export function isFresh(
  signedAtMs: number,
  { ageMsMax, aheadMsMax }: { ageMsMax: number; aheadMsMax: number },
): boolean {
  const ageMs = Date.now() - signedAtMs;
  return ageMs <= ageMsMax && ageMs >= -aheadMsMax;
}
