import { createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { text } from '@tandem/contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { Tools } from '../../handler.ts';
import { findTime, isFresh, type MailReport } from './report.ts';

const eventsMax = 5_000;
// SendGrid repeats a report for up to 24 hours, and does not document whether it signs it again. A report that is repeated
// has its effect once, so a wide bound does less harm than the loss of reports.
const signedTimes = { ageMsMax: (24 * 60 + 10) * 60_000, aheadMsMax: 10 * 60_000 };

const Events = z.array(z.unknown()).max(eventsMax);
const Event = z.object({
  event: z.string(),
  email: z.string(),
  timestamp: z.number(),
  sg_event_id: text(500),
  type: z.string().optional(),
  reason: z.string().optional(),
  'smtp-id': z.string().optional(),
});
type Event = z.output<typeof Event>;

/** The public key of SendGrid's Event Webhook, as its settings page shows it. */
export function sendgridKey(base64: string): KeyObject {
  return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
}

/** @throws ApiError 401 unless SendGrid signed the bytes within the last day */
export function checkSendgrid(key: KeyObject, bytes: Uint8Array, headers: Record<string, string>): void {
  const signature = headers['x-twilio-email-event-webhook-signature'] ?? '';
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'] ?? '';
  const verify = createVerify('sha256').update(timestamp).update(bytes);
  const isTimely = /^\d{1,12}$/.test(timestamp) && isFresh(Number(timestamp) * 1_000, signedTimes);
  if (!isTimely || !verify.verify(key, signature, 'base64')) throw fail('invalid_signature');
}

/**
 * The reports in a batch of events; events of other mail, and those without an effect, are left out. Some kinds of events
 * have other fields, for example those about an account have no address; one that cannot be read must not hold up the rest.
 */
export function readSendgrid({ mailer }: Pick<Tools, 'mailer'>, body: unknown): MailReport[] {
  const parsed = Events.safeParse(body);
  if (!parsed.success) throw fail('validation_failed', [{ field: 'body', message: 'Must be a list of events' }]);
  return parsed.data.flatMap((entry): MailReport[] => {
    const { data: event } = Event.safeParse(entry);
    if (!event) return [];
    const is = kindOf(event);
    const [message] = mailer.refsIn(event['smtp-id'] ?? '');
    const at = findTime(event.timestamp);
    if (!is || !message || !at) return [];
    const { email: recipient, sg_event_id: eventId } = event;
    return [{ is, message, recipient, at, sourceId: `sendgrid-${eventId}` }];
  });
}

function kindOf({ event, type, reason = '' }: Event): MailReport['is'] | undefined {
  if (event === 'delivered') return 'delivered';
  if (event === 'spamreport') return 'complained';
  // A block is about the content or the reputation, not the address.
  if (event === 'bounce') return type === 'blocked' ? 'softly_bounced' : 'bounced';
  // SendGrid did not try it, because the address bounced before.
  return event === 'dropped' && /bounced address/i.test(reason) ? 'bounced' : undefined;
}
