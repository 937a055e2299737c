import { compose } from '../../rendering/compose.ts';
import { dataOf } from '../graph.ts';
import type { Channel } from './channel.ts';
import { dataFor, readContents } from './contents.ts';
import { withinDailyLimit } from './pace.ts';
import { fromHeader } from './sender.ts';

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
  render({ facts: { lead, payload } }, source, locale, links) {
    const composed = compose(source, { data: dataFor(lead, payload), ...locale, ...links });
    return { ...composed, input: { subjectLine: composed.subject, recipient: lead.email } };
  },
  deliver({ mailer }, { one, row, rendered: { subject, html, text }, locale, links }) {
    const { replyTo } = dataOf(one.node, 'email');
    return mailer.deliver({
      ref: row.ref,
      from: fromHeader({ mailer }, locale.tenantName),
      to: one.facts.lead.email,
      createdAt: row.createdAt,
      content: {
        subject: subject ?? '',
        html: html ?? '',
        text,
        ...(replyTo && { replyTo }),
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
