import { reportUpdated } from '@tandem/analytics-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { teamMembersChanged } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';
import { asReport } from './report.ts';

/**
 * Makes reports private whose owner left the team that sees them, in both environments. An owner who returned before a late
 * event has to share them again.
 */
export const followMembers = consumer({
  name: 'follow-members',
  on: [teamMembersChanged],
  everyEnvironment: true,
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    for (const { teamId, removed } of events.map(({ data }) => data)) {
      if (!removed.length) continue;
      const where = { visibility: 'team', teamId, ownerId: { in: removed } };
      const found = await tx.report.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
      for (const { id } of found) {
        const [row] = await tx.report.updateManyAndReturn({
          where: { ...where, id },
          data: { visibility: 'private', teamId: null, version: { increment: 1 } },
        });
        if (!row) continue;
        emit(reportUpdated, {
          data: { reportId: id, type: asReport(row).type, fields: ['visibility', 'teamId'] },
          record: { id },
          changes: { visibility: { from: 'team', to: 'private' }, teamId: { from: teamId, to: null } },
        });
      }
    }
  },
});
