import { composeMessage } from '../../rendering/compose.ts';
import { dataOf } from '../graph.ts';
import type { Channel } from './channel.ts';
import { dataFor, readContents } from './contents.ts';
import { withinPace } from './pace.ts';
import { envelopeOf } from './sender.ts';

export const emailChannel: Channel = {
  name: 'email',
  isConfigured: ({ mailer }) => mailer.isEnabled,
  notConfigured: 'mail_not_configured',
  postponedBy: 'mail_server',
  addressOf: ({ email }) => email || null,
  readContents,
  pace: withinPace,
  async render({ renderer }, { due, facts: { lead, payload } }, source, { locale, links }) {
    const context = { data: dataFor(lead, payload), ...locale, ...links };
    const composed = await composeMessage(renderer, due.tenantId, source, context);
    return { ...composed, input: { subjectLine: composed.subject, recipient: lead.email } };
  },
  deliver(tools, { one, row, rendered: { subject, html, text }, locale, links }) {
    const { replyTo, ...envelope } = envelopeOf(tools, one.sender, locale.tenantName);
    const answersTo = dataOf(one.node, 'email').replyTo ?? replyTo;
    const { tenantId, environment } = one.due;
    return tools.mailer.deliver({
      ...envelope,
      ref: row.ref,
      tenantId,
      environment,
      to: one.facts.lead.email,
      createdAt: row.createdAt,
      content: {
        subject: subject ?? '',
        html: html ?? '',
        text,
        ...(answersTo && { replyTo: answersTo }),
        headers: {
          'List-Unsubscribe': `<${links.oneClickUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          'Auto-Submitted': 'auto-generated',
          Precedence: 'bulk',
        },
      },
    });
  },
};
