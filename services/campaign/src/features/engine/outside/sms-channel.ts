import { nextMidnight } from '@tandem/time-zones';
import type { Tx } from '../../../handler.ts';
import { rememberNumber, statusCallbackUrl } from '../../provider-events/twilio.ts';
import { findTemplateAt } from '../../templates/template.ts';
import { dataOf } from '../graph.ts';
import type { Channel } from './channel.ts';
import { dataFor, type MessageContent } from './contents.ts';
import type { SendTools, ToSend } from './to-send.ts';

// Providers accept ten parts of 160 characters.
const textMax = 1_600;

/**
 * SMS. The text has no opt-out instruction unless its author writes one: the provider answers STOP by itself, and countries
 * differ in what the first message must say. `{{ unsubscribeUrl }}` is the page on which the number is unsubscribed.
 */
export const smsChannel: Channel = {
  name: 'sms',
  isConfigured: ({ sms }) => sms.isEnabled,
  notConfigured: 'sms_not_configured',
  postponedBy: 'sms_provider',
  addressOf: ({ phone }) => phone || null,
  readContents,
  async pace(tools, tx, wanted) {
    // Messages of the sandbox do not leave, so they do not count.
    const isSandbox = wanted[0]?.due.environment === 'sandbox';
    const [retries, fresh] = [wanted.filter(({ isRetry }) => isRetry), wanted.filter(({ isRetry }) => !isRetry)];
    const granted = isSandbox || !fresh.length ? fresh.length : await grant(tx, fresh.length, tools.smsPerDayMax);
    const until = nextMidnight(new Date(), 'UTC');
    const later = fresh.slice(granted).map((one) => ({ one, until, reason: 'daily_limit' }));
    const counted = [...retries, ...fresh.slice(0, granted)];
    if (!isSandbox) for (const { facts } of counted) await rememberNumber(tx, tools, facts.lead.phone ?? '');
    return { counted, later };
  },
  async render({ renderer }, { due, facts: { lead, payload } }, source, { locale: { tenantName }, links }) {
    const { unsubscribeUrl, preferencesUrl } = links;
    const data = { ...dataFor(lead, payload), unsubscribeUrl, preferencesUrl, tenant: { name: tenantName } };
    const { text, missing } = await renderer.render(source, data, due.tenantId);
    const content = (text ?? '').trim();
    return {
      subject: null,
      text: content,
      html: null,
      input: { text: content, recipient: lead.phone ?? '' },
      missing,
      skipReason: content === '' ? 'empty_text' : content.length > textMax ? 'text_too_long' : undefined,
    };
  },
  deliver(tools, { one, row, rendered: { text, input } }) {
    const { tenantId, environment } = one.due;
    const statusUrl = statusCallbackUrl(tools, { tenantId, environment, messageId: row.id });
    return tools.sms.send({ to: input.recipient, text, statusUrl });
  },
};

/** How many of the wanted messages the tenant may still send today (UTC), counted by one statement. */
async function grant(tx: Tx, wanted: number, max: number): Promise<number> {
  const [row] = await tx.sql<{ granted: number }>`
    INSERT INTO sms_count (day, messages, granted)
    VALUES (timezone('UTC', now())::date, least(${wanted}::int, ${max}::int), least(${wanted}::int, ${max}::int))
    ON CONFLICT (tenant_id, environment) DO UPDATE SET day = excluded.day,
      granted = greatest(0, least(${wanted}::int,
        ${max}::int - CASE WHEN sms_count.day = excluded.day THEN sms_count.messages ELSE 0 END)),
      messages = CASE WHEN sms_count.day = excluded.day THEN sms_count.messages ELSE 0 END
        + greatest(0, least(${wanted}::int,
          ${max}::int - CASE WHEN sms_count.day = excluded.day THEN sms_count.messages ELSE 0 END))
    RETURNING granted`;
  return row?.granted ?? 0;
}

/** The text of each node, or its template. */
async function readContents(
  { ids }: Pick<SendTools, 'ids'>,
  tx: Tx,
  all: readonly ToSend[],
): Promise<Map<number, MessageContent | undefined>> {
  const contents = new Map<number, MessageContent | undefined>();
  const templates = new Map<string, MessageContent | undefined>();
  for (const { node, due } of all) {
    const { text = null, templateId: code } = dataOf(node, 'sms');
    if (code === undefined) {
      const content = { subject: null, preheader: null, html: null, text, variables: [] };
      contents.set(due.executionId, { content, templateId: null, variant: null, abTestId: null });
      continue;
    }
    const place = `${due.workflowId}/${due.number}/${code}`;
    if (!templates.has(place)) {
      const id = ids.decode('template', due.tenantId, code);
      templates.set(place, await templateOf(tx, id, due.version.templateVersions[code]));
    }
    contents.set(due.executionId, templates.get(place));
  }
  return contents;
}

/** The version of a template that was current when the workflow was published. */
async function templateOf(
  tx: Tx,
  id: number | undefined,
  version: number | undefined,
): Promise<MessageContent | undefined> {
  const template = id === undefined ? undefined : await findTemplateAt(tx, id, version);
  return template && { content: template, templateId: template.id, variant: null, abTestId: null };
}
