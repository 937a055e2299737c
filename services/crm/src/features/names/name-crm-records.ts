import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';

type Type = 'lead' | 'opportunity' | 'account' | 'task' | 'status_definition' | 'pipeline';

/** Reads names under the permission that retrieving the record needs. */
export const nameCrmRecords = namesHandler<Tx, Type>({
  lead: {
    permission: 'leads:read',
    narrows: true,
    async find(tx, ids) {
      const leads = await tx.lead.findMany({ where: { id: { in: ids }, deletedAt: null } });
      return leads.map(({ id, firstName, lastName }) => ({ id, name: `${firstName} ${lastName}` }));
    },
  },
  opportunity: {
    permission: 'opportunities:read',
    narrows: true,
    find: (tx, ids) => tx.opportunity.findMany({ where: { id: { in: ids }, deletedAt: null } }),
  },
  account: {
    permission: 'accounts:read',
    narrows: true,
    find: (tx, ids) => tx.account.findMany({ where: { id: { in: ids }, deletedAt: null } }),
  },
  task: {
    permission: 'tasks:read',
    narrows: true,
    async find(tx, ids) {
      const tasks = await tx.task.findMany({ where: { id: { in: ids }, deletedAt: null } });
      return tasks.map(({ id, title }) => ({ id, name: title }));
    },
  },
  // Every user reads the stages and pipelines of the opportunities that they may read.
  status_definition: {
    permission: 'opportunities:read',
    narrows: true,
    find: (tx, ids) => tx.statusDefinition.findMany({ where: { id: { in: ids } } }),
  },
  pipeline: {
    permission: 'opportunities:read',
    narrows: true,
    find: (tx, ids) => tx.pipeline.findMany({ where: { id: { in: ids } } }),
  },
});
