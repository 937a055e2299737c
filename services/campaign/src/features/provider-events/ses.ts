import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Tools } from '../../handler.ts';
import { type MailReport, timeOf } from './report.ts';

const Recipients = z.array(z.object({ emailAddress: z.string() })).max(1_000);

/** A notification of Amazon SES, or an event of a configuration set, which have the same fields. */
const Notification = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  bounce: z
    .object({ bounceType: z.string(), bouncedRecipients: Recipients, timestamp: z.string(), feedbackId: text(500) })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: Recipients,
      timestamp: z.string(),
      feedbackId: text(500),
      complaintFeedbackType: z.string().nullish(),
    })
    .optional(),
  delivery: z.object({ timestamp: z.string(), recipients: z.array(z.string()).max(1_000) }).optional(),
  mail: z.object({
    messageId: z.string(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    commonHeaders: z.object({ messageId: z.string().optional() }).optional(),
  }),
});

/** The reports in a notification of SES; none for mail of others, and for kinds that have no effect, such as opens. */
export function readSes({ mailer }: Pick<Tools, 'mailer'>, content: string): MailReport[] {
  const parsed = Notification.safeParse(parse(content));
  if (!parsed.success) return [];
  const { mail, bounce, complaint, delivery, notificationType, eventType } = parsed.data;
  const ids = (mail.headers ?? []).filter(({ name }) => name.toLowerCase() === 'message-id').map(({ value }) => value);
  const [message] = mailer.refsIn([mail.commonHeaders?.messageId ?? '', ...ids].join(' '));
  if (!message) return [];
  const type = (notificationType ?? eventType ?? '').toLowerCase();
  if (type === 'bounce' && bounce) {
    const is = bounce.bounceType === 'Permanent' ? ('bounced' as const) : ('softly_bounced' as const);
    return bounce.bouncedRecipients.map(({ emailAddress: recipient }) => ({
      is,
      message,
      recipient,
      at: timeOf(bounce.timestamp),
      sourceId: `ses-${bounce.feedbackId}`,
    }));
  }
  // The recipient took a message out of the spam folder.
  if (type === 'complaint' && complaint && complaint.complaintFeedbackType !== 'not-spam')
    return complaint.complainedRecipients.map(({ emailAddress: recipient }) => ({
      is: 'complained',
      message,
      recipient,
      at: timeOf(complaint.timestamp),
      sourceId: `ses-${complaint.feedbackId}`,
    }));
  if (type === 'delivery' && delivery)
    return [
      { is: 'delivered', message, recipient: null, at: timeOf(delivery.timestamp), sourceId: `ses-${mail.messageId}` },
    ];
  return [];
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // SNS sends a plain text once, when SES gets the topic: it reports nothing.
    return undefined;
  }
}
