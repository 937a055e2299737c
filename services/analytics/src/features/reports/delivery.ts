import type { JobScope } from '@tandem/jobs';
import type { Message } from '@tandem/mail';
import type { ReportRun } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Ended, Failure } from './ended.ts';
import { usersWhoMayOpen } from './recipients.ts';
import { emptyLetter, reportLetter } from './report-letters.ts';
import { isOfList } from './report-query.ts';
import { type StoredReport, StoredRun } from './report-run.ts';
import type { ReportTools } from './tools.ts';

const linkMs = 7 * 86_400_000;

/** A recipient of a run, and the user whose permission their link needs: for other people the owner, who named them. */
interface Recipient {
  to: string;
  userId: number;
}

/** The recipients of the file of a run of a schedule. */
export interface Delivery {
  recipients: Recipient[];
  /** How many users of the schedule get nothing, because they are not active or could not open the file. */
  leftOut: number;
  scope: JobScope;
}

export const noRecipients: Failure = {
  code: 'no_recipients',
  message: 'No recipient of the schedule is an active user who may read the report',
  isFinal: true,
};
export const mailLimitReached: Failure = {
  code: 'mail_limit_reached',
  message: 'The tenant has reached its daily limit of messages',
  isFinal: false,
};

/** Reads who gets the file of a run; undefined for a run without a schedule, or whose schedule was deleted. */
export async function readDelivery(
  tools: ReportTools,
  { tx, scope }: { tx: Tx; scope: JobScope },
  { run, report }: { run: ReportRun; report: StoredReport },
): Promise<Delivery | undefined> {
  if (run.scheduleId === null) return undefined;
  const schedule = await tx.reportSchedule.findFirst({ where: { id: run.scheduleId } });
  if (!schedule) return undefined;
  const body = { userIds: schedule.userIds, teamIds: [] };
  const requestId = `report_run_${run.id}`;
  const found = await tools.identity.findAssignees({ body, as: { ...scope, requestId } });
  const narrow = StoredRun.parse(run).requester?.narrow ?? null;
  const active = found.map(({ id }) => id);
  const able = await usersWhoMayOpen(tools, { ...report, narrow }, { userIds: active, scope, requestId });
  const users = found.flatMap(({ id: userId, email: to }) => (to && able.has(userId) ? [{ to, userId }] : []));
  // Somebody who may not read the report gets no link by their address either.
  const known = new Set(found.map(({ email }) => email));
  const others = schedule.emails.filter((to) => !known.has(to)).map((to) => ({ to, userId: report.ownerId }));
  return { recipients: [...users, ...others], leftOut: schedule.userIds.length - users.length, scope };
}

/** The messages with the link to the file of a run, or that it has no rows. */
export function messagesOf(
  { fileUrl, linkTo }: ReportTools,
  { recipients, scope }: Delivery,
  { run, report, ended: { rowCount } }: { run: ReportRun; report: StoredReport; ended: Exclude<Ended, Failure> },
): Message[] {
  if (!rowCount) return recipients.map(({ to }) => emptyLetter(report, to));
  const expiresAt = new Date(Date.now() + linkMs);
  const { format } = StoredRun.parse(run);
  const urlFor = (userId: number) =>
    isOfList(report.type)
      ? linkTo({ ...scope, exportId: run.exportId as number, userId }, expiresAt)
      : fileUrl({ ...scope, reportRunId: run.id, format, userId }, expiresAt);
  return recipients.map(({ to, userId }) => reportLetter(report, { to, url: urlFor(userId), rowCount }));
}
