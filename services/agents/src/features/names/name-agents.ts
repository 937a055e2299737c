import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Reads names under the permission that retrieving the record needs. */
export const nameAgents = namesHandler<Tx, 'agent'>({
  agent: {
    permission: 'agents:read',
    find: (tx, ids) => tx.agent.findMany({ where: { id: { in: ids } } }),
  },
});
