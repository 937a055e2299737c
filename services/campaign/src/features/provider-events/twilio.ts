import { leadResubscribed, leadUnsubscribed, type suppressionRemoved } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { createLinkTokens, type Seal } from '@tandem/sealed';
import { fail } from '@tandem/service';
import { isSigned } from '@tandem/telephony';
import type { Tools, Tx } from '../../handler.ts';
import { lockCampaignsOf, pauseUnhealthy } from '../campaigns/pause-unhealthy.ts';
import { react } from '../engine/react.ts';
import { digestOf, digestsOf, normalizedValue } from '../suppressions/address.ts';
import { endUnsubscriptions } from '../suppressions/end-unsubscriptions.ts';
import { suppress } from '../suppressions/suppressed.ts';
import type { MessageKey } from '../tracking/tracking-links.ts';
import type { Inside } from './apply-reports.ts';

export const twilioPath = '/v1/public/providers/twilio/events';

// Twilio reports within hours; a carrier may take days.
const tokenDays = 14;
const tokensOf = (seal: Seal) => createLinkTokens<MessageKey>(seal, 'status of a text message');

/** The StatusCallback of a text message: with it, Twilio reports to its message. */
export function statusCallbackUrl({ seal, publicUrl }: Pick<Tools, 'seal' | 'publicUrl'>, key: MessageKey): string {
  const token = tokensOf(seal).issue(key, new Date(Date.now() + tokenDays * 86_400_000));
  return `${publicUrl}${twilioPath}?message=${token}`;
}

/** The message of a status callback; undefined for a token that is not valid, or no longer. */
export function messageOfToken({ seal }: Pick<Tools, 'seal'>, token: string): MessageKey | undefined {
  const key = tokensOf(seal).read(token);
  return key === 'expired' ? undefined : key;
}

/**
 * Checks X-Twilio-Signature.
 * @throws ApiError 401 unless Twilio signed the form
 */
export function checkTwilio(secret: string, url: string, form: URLSearchParams, signature: string): void {
  if (!isSigned(secret, { url, form, signature })) throw fail('invalid_signature');
}

/** Remembers that a tenant sends text messages to a number, so that its STOP finds the tenant. Call it when one is sent. */
export async function rememberNumber(tx: Tx, tools: Pick<Tools, 'seal'>, number: string): Promise<void> {
  const value = normalizedValue('sms', number);
  if (typeof value !== 'string') return;
  await tx.sql`INSERT INTO sms_recipient_lookup (digest, owner_tenant_id, owner_environment)
    VALUES (${digestOf(tools, 'sms', value)}, platform.tenant_id(), platform.environment())
    ON CONFLICT (digest, owner_tenant_id, owner_environment) DO UPDATE SET seen_at = now()`;
}

/** The tenants that sent text messages to a number. */
export async function tenantsOfNumber(
  tx: Tx,
  tools: Pick<Tools, 'seal'>,
  number: string,
): Promise<{ tenantId: number; environment: 'live' | 'sandbox' }[]> {
  const value = normalizedValue('sms', number);
  if (typeof value !== 'string') return [];
  return tx.sql`SELECT DISTINCT owner_tenant_id AS "tenantId", owner_environment AS environment FROM sms_recipient_lookup
    WHERE digest = ANY(${digestsOf(tools, 'sms', value)}::text[]) ORDER BY 1, 2 LIMIT 1000`;
}

const stopWords = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const startWords = new Set(['START', 'UNSTOP']);

/** The wish in an incoming text message: no more messages, or messages again. */
export function wishOf(form: URLSearchParams): 'stop' | 'start' | undefined {
  const word = (form.get('OptOutType') ?? form.get('Body') ?? '')
    .trim()
    .toUpperCase()
    .replace(/[.!]+$/, '');
  if (stopWords.has(word)) return 'stop';
  return startWords.has(word) ? 'start' : undefined;
}

interface WishInside extends Inside {
  emit: Emit<typeof suppressionRemoved | typeof leadUnsubscribed | typeof leadResubscribed> & Inside['emit'];
}

/** Suppresses a number, or removes the suppression that its owner asked for. */
export async function applyWish(
  inside: WishInside,
  tools: Pick<Tools, 'seal'>,
  { number, wish }: { number: string; wish: 'stop' | 'start' },
): Promise<void> {
  const { emit } = inside;
  const value = normalizedValue('sms', number);
  if (typeof value !== 'string') return;
  if (wish === 'stop') {
    const stop = { channel: 'sms', value, reason: 'unsubscribe', note: 'By text message' } as const;
    const { isNew } = await suppress(tools, inside, stop);
    if (!isNew) return;
    for (const { leadId, messageId } of await leadsOf(inside, value)) {
      const data = { leadId, channel: 'sms', topicId: null, messageId, way: 'text_message' } as const;
      emit(leadUnsubscribed, { data, record: { id: leadId } });
    }
    return;
  }
  const again = { channel: 'sms', value, note: 'By text message' } as const;
  if (!(await endUnsubscriptions(tools, inside, again))) return;
  for (const { leadId } of await leadsOf(inside, value)) {
    const data = { leadId, channel: 'sms', way: 'text_message' } as const;
    emit(leadResubscribed, { data, record: { id: leadId } });
  }
}

/** The leads that got text messages at a number, each with its last message. */
function leadsOf({ tx }: Pick<WishInside, 'tx'>, number: string): Promise<{ leadId: number; messageId: number }[]> {
  return tx.sql<{ leadId: number; messageId: number }>`
    SELECT lead_id AS "leadId", max(id) AS "messageId" FROM message
    WHERE channel = 'sms' AND recipient = ${number} GROUP BY lead_id ORDER BY lead_id LIMIT ${leadsOfNumberMax}`;
}

const leadsOfNumberMax = 100;

// Error codes of Twilio that concern the number: unknown, a landline; and a number that stopped our messages.
const unreachable = new Set(['30005', '30006']);
const stopped = '21610';

/** Suppresses the number of a text message that Twilio refused because the number sent STOP; other errors have no effect. */
export async function suppressStopped(
  inside: Pick<Inside, 'tx' | 'emit'>,
  tools: Pick<Tools, 'seal'>,
  { recipient, error }: { recipient: string | null; error: string | null },
): Promise<void> {
  if (!recipient || !error?.split(' ').includes(stopped)) return;
  const value = normalizedValue('sms', recipient);
  if (typeof value === 'string') await suppress(tools, inside, { channel: 'sms', value, reason: 'unsubscribe' });
}

/** Applies a status callback to its message. */
export async function applyStatus(
  inside: Inside,
  tools: Pick<Tools, 'seal'>,
  messageId: number,
  form: URLSearchParams,
): Promise<void> {
  const { tx } = inside;
  const status = form.get('MessageStatus') ?? '';
  const to = form.get('To') ?? '';
  await rememberNumber(tx, tools, to);
  if (status === 'delivered')
    await tx.sql`UPDATE message SET delivered_at = now(), updated_at = now(),
        status = CASE WHEN status = 'sent' THEN 'delivered' ELSE status END
      WHERE id = ${messageId} AND delivered_at IS NULL`;
  if (status !== 'undelivered' && status !== 'failed') return;
  const code = /^\d{1,6}$/.exec(form.get('ErrorCode') ?? '')?.[0] ?? '';
  const error = `Twilio could not deliver it (${code || 'without a code'})`;
  const value = normalizedValue('sms', to);
  // The report can arrive before the answer of Twilio is stored: the message counts as sent in any case.
  // A phone that is off, or a filter of the carrier, says nothing about the number.
  if (!unreachable.has(code)) {
    await tx.sql`UPDATE message SET status = 'failed', error = ${error}, sent_at = coalesce(sent_at, now()),
        updated_at = now()
      WHERE id = ${messageId} AND bounced_at IS NULL AND delivered_at IS NULL`;
    if (code === stopped && typeof value === 'string')
      await suppress(tools, inside, { channel: 'sms', value, reason: 'unsubscribe' });
    return;
  }
  await lockCampaignsOf(tx, { id: messageId });
  const bounced = await tx.sql<{ leadId: number; executionId: number | null; campaignId: number | null }>`
    UPDATE message SET status = 'bounced', bounced_at = now(), error = ${error}, sent_at = coalesce(sent_at, now()),
      updated_at = now()
    WHERE id = ${messageId} AND bounced_at IS NULL RETURNING lead_id AS "leadId", execution_id AS "executionId",
      campaign_id AS "campaignId"`;
  await react(
    inside,
    bounced.map((one) => ({ ...one, type: 'email_bounce' })),
  );
  for (const { campaignId } of bounced) if (campaignId !== null) await pauseUnhealthy(inside, campaignId);
  if (typeof value === 'string') await suppress(tools, inside, { channel: 'sms', value, reason: 'hard_bounce' });
}
