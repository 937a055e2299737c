import { contactToken, oneClickUrl, preferencesUrl, unsubscribeUrl } from '../../preferences/contact-links.ts';
import { compose } from '../../rendering/compose.ts';
import { dataOf } from '../graph.ts';
import type { Channel } from './channel.ts';
import { dataFor, readContents } from './contents.ts';
import type { MessageRow } from './message-rows.ts';
import { withinDailyLimit } from './pace.ts';
import { fromHeader } from './sender.ts';
import type { SendTools, ToSend } from './to-send.ts';

export const emailChannel: Channel = {
  name: 'email',
  isConfigured: ({ mailer }) => mailer.isEnabled,
  notConfigured: 'mail_not_configured',
  postponedBy: 'mail_server',
  addressOf: ({ email }) => email || null,
  readContents,
  async permitted(tools, tx, wanted) {
    const permitted = await withinDailyLimit(tools, tx, wanted);
    return wanted.slice(0, permitted.length);
  },
  render(tools, one, row, locale, source) {
    const { lead, payload } = one.facts;
    const links = linksOf(tools, one, row);
    const { subject, html, text, missing } = compose(source, { data: dataFor(lead, payload), ...locale, ...links });
    const { replyTo } = dataOf(one.node, 'email');
    return {
      subject,
      input: { subjectLine: subject, recipient: lead.email },
      missing,
      deliver: () =>
        tools.mailer.deliver({
          ref: row.ref,
          from: fromHeader(tools, locale.tenantName),
          to: lead.email,
          createdAt: row.createdAt,
          content: {
            subject,
            html,
            text,
            ...(replyTo && { replyTo }),
            headers: {
              'List-Unsubscribe': `<${links.oneClickUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              'Auto-Submitted': 'auto-generated',
              Precedence: 'bulk',
            },
          },
        }),
    };
  },
};

function linksOf(tools: SendTools, { due, facts: { lead } }: ToSend, row: MessageRow) {
  const { tenantId, environment, leadId } = due;
  const key = { tenantId, environment, messageId: row.id };
  const token = contactToken(tools, { ...key, leadId, channel: 'email', address: lead.email, topicId: null });
  return {
    pixelUrl: tools.tracking.pixelUrl(key),
    tracked: (url: string) => tools.tracking.clickUrl(key, url),
    unsubscribeUrl: unsubscribeUrl(tools, token),
    preferencesUrl: preferencesUrl(tools, token),
    oneClickUrl: oneClickUrl(tools, token),
  };
}
