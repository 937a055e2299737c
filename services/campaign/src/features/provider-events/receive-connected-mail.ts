import type { internalMail } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { applyReports } from './apply-reports.ts';
import { readInbound } from './inbound-mail.ts';
import type { MailReport } from './report.ts';

type Result = z.output<typeof internalMail.receiveConnectedMail.reply>['results'][number];

/** The report of each message; undefined for mail that concerns no message of the caller's tenant and environment. */
type Reports = (MailReport | undefined)[];

const results: Partial<Record<MailReport['is'], Result>> = {
  replied: 'replied',
  auto_replied: 'auto_replied',
  bounced: 'bounced',
  softly_bounced: 'bounced',
};

export const receiveConnectedMail = (
  tools: Pick<Tools, 'ids' | 'mailer' | 'seal'>,
): Handler<typeof internalMail.receiveConnectedMail, Reports> => ({
  async check({ body, caller: { tenantId, environment } }) {
    if (tenantId === undefined) throw fail('not_found');
    const reports: Reports = [];
    for (const { header, receivedAt } of body.messages) {
      const at = new Date(Math.min(receivedAt.getTime(), Date.now()));
      // A message that cannot be read concerns nobody; the others count.
      const [report] = await readInbound(tools, Buffer.from(header), at).catch(() => []);
      // Everybody who got a message of another tenant can put its id into a mailbox.
      const isOwn = report?.message.tenantId === tenantId && report.message.environment === environment;
      reports.push(isOwn ? report : undefined);
    }
    return reports;
  },
  async run({ tx, emit, schedule, found }) {
    const reports = found.filter((report) => report !== undefined);
    if (reports.length) await applyReports({ tx, emit, schedule }, tools, reports);
    return { results: found.map((report) => (report && results[report.is]) ?? 'unrelated') };
  },
});
