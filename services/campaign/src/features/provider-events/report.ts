import type { MessageRef } from '@tandem/mail';

/** What a provider reports about an e-mail. */
export interface MailReport {
  is: 'delivered' | 'bounced' | 'softly_bounced' | 'complained' | 'replied' | 'auto_replied';
  message: MessageRef;
  /** The address, if the report can be trusted to name it; else the one of the stored message counts. */
  recipient: string | null;
  at: Date;
  /** The id of the report, which is the same when it is repeated. */
  sourceId: string;
}

/** A time that a provider names; now if it is not one, or is in the future. */
export function timeOf(value: unknown): Date {
  const at = new Date(typeof value === 'number' ? value * 1_000 : String(value));
  const now = new Date();
  return Number.isNaN(at.getTime()) || at > now ? now : at;
}
