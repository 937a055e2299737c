import { nextMidnight } from '@tandem/time-zones';
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
  async pace(tools, tx, wanted) {
    const { length } = await withinDailyLimit(tools, tx, wanted);
    const until = nextMidnight(new Date(), 'UTC');
    const later = wanted.slice(length).map((one) => ({ one, until, reason: 'daily_limit' }));
    return { counted: wanted.slice(0, length), later };
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
