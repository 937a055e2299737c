import { type quarantineReasons, submissionLimits } from '@tandem/campaign-contract';
import { lockNamed } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Display } from './render-token.ts';

export type QuarantineReason = (typeof quarantineReasons)[number];

/** The circumstances of a submission, besides its values. */
interface Signs {
  values: Record<string, unknown>;
  honeypot: string | null | undefined;
  /** How the page showed the form; undefined for a form elsewhere. */
  display: Display | undefined;
  addressDigest: string;
  /** The mailbox that would get a confirmation mail; null if the form sends none. */
  mailbox: string | null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Why a submission is spam; undefined if it seems to come from a person. */
export async function findSpam(
  tx: Tx,
  { values, honeypot, display, addressDigest, mailbox }: Signs,
): Promise<QuarantineReason | undefined> {
  if (honeypot?.trim()) return 'honeypot';
  if (display && Date.now() - display.at < submissionLimits.fillMs) return 'too_fast';
  if (Object.values(values).some((value) => typeof value === 'string' && countLinks(value) > submissionLimits.links))
    return 'too_many_links';
  // Concurrent submissions would not see one another.
  await lockNamed(tx, 'submissions of an address', [addressDigest]);
  const lastHour = { gt: new Date(Date.now() - hourMs) };
  if ((await tx.formSubmission.count({ where: { addressDigest, createdAt: lastHour } })) >= submissionLimits.perHour)
    return 'too_many';
  if (mailbox === null) return undefined;
  // Anybody can enter the address of somebody else, who must not get one mail after another, also not by concurrent requests.
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('confirmation ' || platform.tenant_id() || ${mailbox}, 0))`;
  const lastDay = { gt: new Date(Date.now() - dayMs) };
  const waiting = await tx.formSubmission.count({ where: { mailbox, status: 'pending', createdAt: lastDay } });
  return waiting >= submissionLimits.confirmationsPerDay ? 'too_many_confirmations' : undefined;
}

function countLinks(text: string): number {
  return text.match(/https?:\/\/|\bwww\./gi)?.length ?? 0;
}
