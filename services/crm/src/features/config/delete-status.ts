import { actingUserId } from '@tandem/caller';
import type { statuses } from '@tandem/crm-contract';
import { backgroundJobs, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { whyNeeded } from './last-of-kind.ts';
import { countRecords, moveRecords } from './move-records.ts';
import { replaceStatusJob } from './replace-status.job.ts';
import { checkNotReplaced, findReplacement, removeStatus } from './replacement.ts';
import { lockStatus } from './status.ts';

/** Records that are moved within the request. */
const movedMax = 250;

export const deleteStatus: Handler<typeof statuses.deleteStatus> = async (context) => {
  const { params, query, tx, emit, ifMatch, caller, schedule } = context;
  const status = await lockStatus(tx, params.id);
  ifMatch(status);
  const { replaceWithId } = query;
  const replacement = replaceWithId === undefined ? undefined : await findReplacement(tx, status, replaceWithId);
  await checkNotReplaced(tx, status, replacement);
  const needed = await whyNeeded(tx, status);
  if (needed) throw fail('last_of_kind', [{ field: 'id', message: needed }]);
  const count = await countRecords(tx, status);
  if (count && !replacement) {
    const records = status.entityType === 'lead' ? 'leads' : 'opportunities';
    throw fail('status_in_use', [
      { field: 'replaceWithId', message: `Is required, because ${count} ${records} have it` },
    ]);
  }
  if (replacement && count > movedMax) {
    const { permissions, features, narrow, teamIds, usage, performed, tenantId, environment, ...actor } = caller;
    const input = { statusId: status.id, replacementId: replacement.id, caller: actor };
    const start = { kind: 'replace_status', permission: 'config:delete', caller, input, total: count };
    const job = await backgroundJobs('crm').start(tx.sql, start);
    await schedule(replaceStatusJob, [{ jobId: job.jobId }]);
    return { job };
  }
  if (replacement)
    await moveRecords(
      { tx, emit, byUserId: actingUserId(caller) ?? null },
      { from: status, to: replacement, max: count },
    );
  await removeStatus({ tx, emit }, status);
  return { id: status.id, deleted: true };
};
