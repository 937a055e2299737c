import type { JobScope } from '@tandem/jobs';
import type { Message } from '@tandem/mail';
import type { ReportRun, ReportSchedule } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Ended, Failure } from './ended.ts';
import { emptyLetter, failedLetter, reportLetter } from './report-letters.ts';
import { isOfList } from './report-query.ts';
import { type StoredReport, StoredRun } from './report-run.ts';
import type { ReportTools } from './tools.ts';

const linkMs = 7 * 86_400_000;

/** A recipient of a run, and the user whose permission their link needs: for other people the owner, who named them. */
interface Recipient {
  to: string;
  userId: number;
}

/** The recipients of the messages about a run of a schedule. */
export interface Delivery {
  recipients: Recipient[];
  owner: Recipient | undefined;
  scope: JobScope;
}

export const noRecipients: Failure = {
  code: 'no_recipients',
  message: 'No recipient of the schedule is an active user any more',
  isFinal: true,
};
export const mailLimitReached: Failure = {
  code: 'mail_limit_reached',
  message: 'The tenant has reached its daily limit of messages',
  isFinal: false,
};

/** Reads who gets the messages of a run; undefined for a run without a schedule, or whose schedule was deleted. */
export async function readDelivery(
  { identity }: ReportTools,
  { tx, scope }: { tx: Tx; scope: JobScope },
  { run, report }: { run: ReportRun; report: StoredReport },
): Promise<Delivery | undefined> {
  if (run.scheduleId === null) return undefined;
  const schedule = await tx.reportSchedule.findFirst({ where: { id: run.scheduleId } });
  if (!schedule) return undefined;
  const body = { userIds: [...new Set([...schedule.userIds, report.ownerId])], teamIds: [] };
  const as = { ...scope, requestId: `report_run_${run.id}` };
  const users = await identity.findAssignees({ body, as });
  const recipientOf = (userId: number) => {
    const to = users.find(({ id }) => id === userId)?.email;
    return to ? [{ to, userId }] : [];
  };
  return { recipients: recipientsOf(schedule, report, recipientOf), owner: recipientOf(report.ownerId)[0], scope };
}

function recipientsOf(
  { userIds, emails }: ReportSchedule,
  { ownerId }: StoredReport,
  recipientOf: (userId: number) => Recipient[],
): Recipient[] {
  const users = userIds.flatMap(recipientOf);
  const others = emails.filter((to) => !users.some((user) => user.to === to)).map((to) => ({ to, userId: ownerId }));
  return [...users, ...others];
}

/** The messages about the end of a run. */
export function messagesOf(
  { fileUrl, linkTo }: ReportTools,
  { recipients, owner, scope }: Delivery,
  { run, report, ended }: { run: ReportRun; report: StoredReport; ended: Ended },
): Message[] {
  if ('code' in ended) return owner ? [failedLetter(report, { to: owner.to, failure: ended })] : [];
  const { rowCount } = ended;
  if (!rowCount) return recipients.map(({ to }) => emptyLetter(report, to));
  const expiresAt = new Date(Date.now() + linkMs);
  const { format } = StoredRun.parse(run);
  const urlFor = (userId: number) =>
    isOfList(report.type)
      ? linkTo({ ...scope, exportId: run.exportId as number, userId }, expiresAt)
      : fileUrl({ ...scope, reportRunId: run.id, format, userId }, expiresAt);
  return recipients.map(({ to, userId }) => reportLetter(report, { to, url: urlFor(userId), rowCount }));
}
