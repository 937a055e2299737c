import { nextMidnight } from '@tandem/time-zones';
import type { Tx } from '../../../handler.ts';
import { renderTemplate, type TemplateContent } from '../../templates/render.ts';
import { findTemplate } from '../../templates/template.ts';
import { dataOf } from '../graph.ts';
import type { Channel } from './channel.ts';
import { dataFor } from './contents.ts';
import type { SendTools, ToSend } from './to-send.ts';

// What providers accept: ten parts of 160 characters.
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
  async pace({ smsPerDayMax }, tx, wanted) {
    // Messages of the sandbox do not leave, so they do not count.
    const isSandbox = wanted[0]?.due.environment === 'sandbox';
    const granted = isSandbox ? wanted.length : await grant(tx, wanted.length, smsPerDayMax);
    const until = nextMidnight(new Date(), 'UTC');
    const later = wanted.slice(granted).map((one) => ({ one, until, reason: 'daily_limit' }));
    return { counted: wanted.slice(0, granted), later };
  },
  render({ facts: { lead, payload } }, source, { tenantName }, { unsubscribeUrl, preferencesUrl }) {
    const data = { ...dataFor(lead, payload), unsubscribeUrl, preferencesUrl, tenant: { name: tenantName } };
    const { text, missing } = renderTemplate(source, data);
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
  deliver: ({ sms }, { rendered: { text, input } }) => sms.send({ to: input.recipient, text }),
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
): Promise<Map<number, TemplateContent | undefined>> {
  const contents = new Map<number, TemplateContent | undefined>();
  const templates = new Map<string, TemplateContent | undefined>();
  for (const { node, due } of all) {
    const { text = null, templateId: code } = dataOf(node, 'sms');
    if (code === undefined) {
      contents.set(due.executionId, { subject: null, preheader: null, html: null, text, variables: [] });
      continue;
    }
    if (!templates.has(code)) {
      const id = ids.decode('template', due.tenantId, code);
      const template = id === undefined ? undefined : await findTemplate(tx, id);
      templates.set(code, template?.status === 'active' && template.channel === 'sms' ? template : undefined);
    }
    contents.set(due.executionId, templates.get(code));
  }
  return contents;
}
