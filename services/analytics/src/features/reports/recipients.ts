import type { ReportSchedule, ReportType } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { mayReceive, type Requester, recipientReader, requesterOf } from '@tandem/exports';
import type { JobScope } from '@tandem/jobs';
import { asService, fail, failField } from '@tandem/service';
import type { z } from 'zod';
import { reachOfSource } from '../exports/source.ts';
import { ownerOf } from './report.ts';
import { isOfList } from './report-query.ts';
import type { ReportTools } from './tools.ts';

type Tools = Pick<ReportTools, 'identity' | 'sources'>;
type Recipients = z.output<typeof ReportSchedule>['recipients'];

/** A report whose file is sent, and the records to which its owner is limited. */
interface Sent {
  type: ReportType;
  ownerId: number;
  narrow: Requester['narrow'];
}

/** Which of these active users can open the link to the file, by the rules that each download applies. */
export async function usersWhoMayOpen(
  { identity, sources }: Tools,
  { type, ownerId, narrow }: Sent,
  { userIds, scope, requestId }: { userIds: readonly number[]; scope: JobScope; requestId: string },
): Promise<Set<number>> {
  const readRecipient = recipientReader(identity);
  const files = [
    { narrow: null, permission: 'analytics:read', requestedBy: null },
    ...(isOfList(type) ? [{ narrow, permission: sources[type].list.permission as string, requestedBy: ownerId }] : []),
  ];
  const read = await Promise.all(userIds.map((userId) => readRecipient({ ...scope, userId }, requestId)));
  const able = read.filter((recipient) => files.every((file) => mayReceive(recipient, file)));
  return new Set(able.map(({ userId }) => userId));
}

/**
 * Checks that the caller can read all that the runs of a schedule will: they read in the name of the owner of the report, and an API
 * key of the owner can have less.
 */
export function checkReach(
  { sources }: Pick<ReportTools, 'sources'>,
  { type, field }: { type: ReportType; field: string },
  caller: Caller,
): void {
  if (!isOfList(type)) return;
  const reach = reachOfSource(caller, sources[type]);
  if (reach === 'all' || (reach !== 'none' && caller.type === 'user')) return;
  const permission = sources[type].list.permission as string;
  throw fail('forbidden', [{ field, message: `Requires the permission ${permission} for all records` }]);
}

/** Checks that the users are active and can open the file of the caller's report; there must be one recipient at least. */
export async function checkRecipients(
  tools: Tools,
  { type, recipients: { userIds, emails } }: { type: ReportType; recipients: Recipients },
  caller: Caller,
): Promise<void> {
  if (!userIds.length && !emails.length) throw failField('recipients', 'Must name at least one user or address');
  if (!userIds.length) return;
  const found = await tools.identity.findAssignees({ body: { userIds, teamIds: [] }, as: asService(caller) });
  const active = new Set(found.map((user) => user.id));
  const unknown = userIds.findIndex((userId) => !active.has(userId));
  if (unknown >= 0) throw failField(`recipients.userIds.${unknown}`, unknownId('user'));
  const { tenantId, environment, requestId } = caller;
  const reach = isOfList(type) ? reachOfSource(caller, tools.sources[type]) : 'all';
  const { narrow } = requesterOf(caller, reach);
  const scope = { tenantId: tenantId as number, environment };
  const able = await usersWhoMayOpen(
    tools,
    { type, ownerId: ownerOf(caller), narrow },
    { userIds: [...active], scope, requestId },
  );
  const refused = userIds.findIndex((userId) => !able.has(userId));
  if (refused >= 0)
    throw failField(`recipients.userIds.${refused}`, 'Must be a user who may read all that the report shows');
}
